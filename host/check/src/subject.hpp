// subject.hpp: the file and the component under test.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "check/check.hpp"
#include "plugins/catalog.hpp"
#include "plugins/library.hpp"
#include "runtime/backend.hpp"
#include "session/instances.hpp"
#include "value/value.hpp"
#include "watch.hpp"

namespace broch::check {

class Subject {
 public:
  Subject(const Options& options, std::string component)
      : options_(options), id_(std::move(component)), watch_(id_) {}

  const Options& options() const { return options_; }
  const std::string& id() const { return id_; }
  Watch& watch() { return watch_; }

  // Each is read when it is needed for the first time. They throw base::Error.
  const plugins::PluginFile& file();
  const plugins::Component& component();
  const plugins::Catalog& catalog();
  const session::Kinds& kinds();
  // Checks the library as a run does. Opens LibTorch first if the file is built against it.
  const plugins::Library& library();
  value::Value schema();

  // Whether the component computes with operators, which the null backend cannot do.
  bool computes();
  // LibTorch, or nullptr if the component works without it. Skips the test if LibTorch is needed
  // but not available.
  std::shared_ptr<runtime::Backend> backend();
  // LibTorch if the file is built against it; it must then be open before the file is loaded.
  // Otherwise nullptr.
  std::shared_ptr<runtime::Backend> backend_of_file();

 private:
  const std::shared_ptr<runtime::Backend>& torch();

  const Options& options_;
  const std::string id_;
  Watch watch_;
  std::optional<plugins::PluginFile> file_;
  std::unique_ptr<plugins::Catalog> catalog_;
  std::unique_ptr<session::Kinds> kinds_;
  std::shared_ptr<runtime::Backend> torch_;
};

}  // namespace broch::check
