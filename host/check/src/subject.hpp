// subject.hpp: the file and the component under test.
#pragma once
#include <memory>
#include <string>

#include "ground.hpp"
#include "plugins/library.hpp"
#include "value/value.hpp"
#include "watch.hpp"

namespace broch::check {

class Subject {
 public:
  Subject(Ground& ground, std::string component)
      : ground_(ground), id_(std::move(component)), watch_(id_) {}

  const Options& options() const { return ground_.options(); }
  const std::string& id() const { return id_; }
  Watch& watch() { return watch_; }

  // They throw base::Error.
  const plugins::PluginFile& file() { return ground_.file(); }
  const plugins::Component& component();
  const std::shared_ptr<const plugins::Catalog>& catalog() { return ground_.catalog(); }
  const session::Kinds& kinds() { return ground_.kinds(); }
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

  Ground& ground_;
  const std::string id_;
  Watch watch_;
};

}  // namespace broch::check
