// flow.cpp: finds the dataflow of a manifest, and reads it.
#include "data/flow.hpp"

#include "abi/crash.hpp"
#include "base/error.hpp"
#include "runtime/backend.hpp"
#include "session/preconditions.hpp"
#include "value/json.hpp"

namespace broch::data {
namespace {

using manifest::Component;
using value::Value;

bool is_json(const std::string& words) {
  const size_t first = words.find_first_not_of(" \t\n");
  return first != std::string::npos && words[first] == '{';
}

manifest::Manifest load(const session::SetupOptions& options) {
  if (options.source) return manifest::load_source(options.source, options.overrides);
  if (!is_json(options.manifest)) return manifest::load(options.manifest, options.overrides);
  const char* const name = "the dataflow on the command line";
  Value whole{Value::Object{}};
  whole.set("broch", Value(int64_t{1}));
  whole.set("dataflow", manifest::parse_text(name, options.manifest));
  return manifest::load_source(std::make_shared<const manifest::Source>(manifest::Source{
                                   name, manifest::working_directory(), manifest::to_text(whole)}),
                               options.overrides);
}

Component flow_of(const manifest::Manifest& manifest, const session::Kinds& kinds) {
  if (manifest.dataflow)
    return manifest::resolve_component(manifest.dataflow->entry, "dataflow", kinds, "/dataflow");
  if (manifest.data) {
    const Component data =
        manifest::resolve_component(manifest.data->entry, "input_source", kinds, "/data");
    if (const Component* found = dataflow_in(data)) return *found;
    base::fail(base::Exit::manifest, data.entry.origin().text() + ": /data",
               data.use + " without a dataflow", "an input source around a dataflow",
               "name another manifest, or write the dataflow as JSON");
  }
  base::fail(base::Exit::manifest, manifest.source->name, "no data",
             "\"dataflow\", or \"data\" with a dataflow inside",
             "add it, or write the dataflow as JSON: '{\"use\": NAME}'");
}

void gather(const Component& component, std::vector<const Component*>& all) {
  if (!component.is_reference()) all.push_back(&component);
  for (const Component& child : component.children) gather(child, all);
}

// Some dataflows are built against LibTorch, which must then be open before they are loaded.
std::shared_ptr<runtime::Backend> backend_for(const Component& component,
                                              const plugins::Catalog& catalog) {
  std::vector<const Component*> all;
  gather(component, all);
  for (const Component* one : all)
    if (!catalog.find(one->use).file.metadata.torch.empty()) return runtime::open_torch_backend();
  return nullptr;
}

}  // namespace

const Component* dataflow_in(const Component& component) {
  if (component.role == "dataflow" && !component.is_reference()) return &component;
  for (const Component& child : component.children)
    if (const Component* found = dataflow_in(child)) return found;
  return nullptr;
}

Flow::Flow(const session::SetupOptions& options)
    : manifest_(load(options)),
      catalog_(session::open_catalog(manifest_.plugins, options.plugin_path)),
      kinds_(std::make_unique<session::Kinds>(*catalog_)),
      component_(flow_of(manifest_, *kinds_)) {
  abi::install_crash_handler();
  session::require_usable({&component_}, *catalog_);
  bench_ = std::make_unique<session::Workbench>(
      *catalog_, *kinds_, backend_for(component_, *catalog_), uint64_t(manifest_.seed));
}

bool Flow::is_indexed() { return abi::Indexed::plays(*bench_->make(component_)->instance); }

FlowReader::FlowReader(Flow& flow, const Component& component)
    : cancel_(flow.bench().interrupt().token()),
      made_(flow.bench().make(component)),
      source_(abi::DataFlow::make(*made_->instance)) {
  source_.reset_state();
  source_.open(nullptr, 0);
}

bool FlowReader::next(runtime::Point& point) {
  point.clear();
  const runtime::LentPoint lent(point);
  return source_.next(cancel_, lent.handle()) == BROCH_OK;
}

std::optional<int64_t> FlowReader::size() {
  int64_t size = 0;
  return source_.size(&size) ? std::optional(size) : std::nullopt;
}

}  // namespace broch::data
