// subject.hpp: the file and the component under test.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "check/check.hpp"
#include "manifest/value.hpp"
#include "plugins/catalog.hpp"
#include "plugins/library.hpp"
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
  const plugins::Library& library();
  manifest::Value schema();

  // Skips the test where the file can only be loaded beside LibTorch.
  void require_no_torch();

 private:
  const Options& options_;
  const std::string id_;
  Watch watch_;
  std::optional<plugins::PluginFile> file_;
  std::unique_ptr<plugins::Catalog> catalog_;
  std::unique_ptr<session::Kinds> kinds_;
};

}  // namespace broch::check
