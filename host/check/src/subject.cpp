// subject.cpp: opening what is tested.
#include "subject.hpp"

#include "abi/crash.hpp"
#include "manifest/json.hpp"
#include "session/setup.hpp"
#include "verdict.hpp"

namespace broch::check {

const plugins::PluginFile& Subject::file() {
  if (!file_) file_ = plugins::open_plugin(options_.file, plugins::Origin::flag);
  return *file_;
}

const plugins::Component& Subject::component() {
  for (const plugins::Component& component : file().metadata.components)
    if (component.id == id_) return component;
  throw Failed("the metadata describe no component " + id_);
}

const plugins::Catalog& Subject::catalog() {
  if (!catalog_) catalog_ = session::open_catalog({options_.file}, options_.plugin_path);
  return *catalog_;
}

const session::Kinds& Subject::kinds() {
  if (!kinds_) kinds_ = std::make_unique<session::Kinds>(catalog());
  return *kinds_;
}

const plugins::Library& Subject::library() {
  require_no_torch();
  plugins::LoadOptions options;
  options.breadcrumb = &abi::note_loading;
  return plugins::load(file(), options);
}

manifest::Value Subject::schema() {
  manifest::Dialect strict;
  strict.relaxed = false;
  strict.exit = base::Exit::plugin;
  return manifest::parse_text("options of " + id_, component().options, strict);
}

void Subject::require_no_torch() {
  if (!file().metadata.torch.empty())
    throw Skipped("the file is built against LibTorch " + file().metadata.torch +
                  ", which is not opened here");
}

}  // namespace broch::check
