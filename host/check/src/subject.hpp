// subject.hpp: the file and the component under test.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "check/check.hpp"
#include "manifest/value.hpp"
#include "plugins/catalog.hpp"
#include "plugins/library.hpp"
#include "runtime/backend.hpp"
#include "session/instances.hpp"
#include "watch.hpp"

namespace broch::check {

class Subject {
 public:
  Subject(const Options& options, std::string component)
      : options_(options), id_(std::move(component)), watch_(id_) {}

  const Options& options() const { return options_; }
  const std::string& id() const { return id_; }
  Watch& watch() { return watch_; }

  // Each is read when it is asked for first. They throw base::Error.
  const plugins::PluginFile& file();
  const plugins::Component& component();
  const plugins::Catalog& catalog();
  const session::Kinds& kinds();
  // Refused as a run refuses it. LibTorch is opened first for a file that is built against it.
  const plugins::Library& library();
  manifest::Value schema();

  // Whether its work is operators, which the null runtime does not compute.
  bool computes();
  // LibTorch; nullptr for a component that does its work without. Skips the test where it is not
  // to be had.
  std::shared_ptr<runtime::Backend> backend();
  // For a file that is built against LibTorch, which has to be there before it is loaded; nullptr
  // for others.
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
