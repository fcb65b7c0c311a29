// ground.cpp: opens the file, the catalog and LibTorch.
#include "ground.hpp"

#include "session/setup.hpp"

namespace broch::check {

const plugins::PluginFile& Ground::file() {
  if (!file_) file_ = plugins::open_plugin(options_.file, plugins::Origin::flag);
  return *file_;
}

const std::shared_ptr<const plugins::Catalog>& Ground::catalog() {
  if (!catalog_) catalog_ = session::open_catalog({options_.file}, options_.plugin_path);
  return catalog_;
}

const session::Kinds& Ground::kinds() {
  if (!kinds_) kinds_ = std::make_unique<session::Kinds>(*catalog());
  return *kinds_;
}

const std::shared_ptr<runtime::Backend>& Ground::torch() {
  if (!torch_) torch_ = runtime::open_torch_backend();
  return torch_;
}

}  // namespace broch::check
