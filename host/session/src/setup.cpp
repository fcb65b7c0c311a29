// setup.cpp: from the path of a file to a checked manifest.
#include "session/setup.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/log.hpp"
#include "functions.hpp"
#include "manifest/defaults.hpp"
#include "metric_names.hpp"
#include "plugins/build_hint.hpp"
#include "session/preconditions.hpp"
#include "value/json.hpp"
#include "wrapped.hpp"

namespace broch::session {
namespace {

using manifest::Component;
using manifest::Value;

Value device_list(const std::vector<int64_t>& towers, const manifest::Origin& origin) {
  Value::Array devices;
  for (const int64_t tower : towers) devices.emplace_back("auto:" + std::to_string(tower), origin);
  return Value(std::move(devices), origin);
}

// Whether a queue for this trainer gets a staging input: it has several towers and does not turn
// staging off.
bool stages(const Component& trainer) {
  const Value* const devices = trainer.with().find("devices");
  const Value* const asked = trainer.with().find("gpu_prefetch");
  return devices && devices->is(Value::Kind::array) && devices->array().size() > 1 &&
         !(asked && asked->is(Value::Kind::boolean) && !asked->boolean());
}

// Refuses unusable files listed under "plugins". Reports all of them, each with its line.
void require_plugins(const manifest::Manifest& manifest) {
  manifest::Faults faults;
  const Value::Array& listed = manifest.value.find("plugins")->array();
  for (size_t i = 0; i < listed.size(); ++i) {
    const std::string& path = listed[i].string();
    const std::string pointer = manifest::child_pointer("/plugins", i);
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) continue;
    if (!std::filesystem::exists(path, error)) {
      faults.add(listed[i].origin(), pointer,
                 {error ? path + ": " + error.message() : "no file " + path,
                  "a library made for Broch, or a folder of them", plugins::how_to_build(path)},
                 base::Exit::plugin);
      continue;
    }
    try {
      plugins::open_plugin(path, plugins::Origin::manifest);
    } catch (const base::Error& failure) {
      faults.add(manifest::in_manifest(failure, listed[i].origin(), pointer));
    }
  }
  faults.raise();
}

std::shared_ptr<const plugins::Catalog> catalog_of(const manifest::Manifest& manifest,
                                                   const SetupOptions& options) {
  if (options.catalog) return options.catalog;
  try {
    return open_catalog(manifest.plugins, options.plugin_path);
  } catch (const base::Error&) {
    require_plugins(manifest);
    throw;
  }
}

}  // namespace

std::unique_ptr<plugins::Catalog> open_catalog(const std::vector<std::string>& files,
                                               const std::vector<std::string>& plugin_path) {
  return std::make_unique<plugins::Catalog>(
      files, plugins::search_places(plugin_path, plugins::surroundings()));
}

Setup::Setup(const SetupOptions& options)
    : manifest_(options.source ? manifest::load_source(options.source, options.overrides)
                               : manifest::load(options.manifest, options.overrides)),
      catalog_(catalog_of(manifest_, options)),
      kinds_(std::make_unique<Kinds>(*catalog_)) {
  place_towers();
  try {
    manifest::resolve(manifest_, *kinds_);
  } catch (const base::Error& error) {
    // The missing component may be in a library that is not usable, so list those.
    if (error.exit() == base::Exit::plugin)
      for (const plugins::Broken& broken : catalog_->broken())
        base::warning("not usable: " + broken.reason);
    throw;
  }
  if (!options.shortening.empty()) {
    shortened_ = shorten(manifest_, *catalog_, options.shortening);
    manifest::resolve(manifest_, *kinds_);
  }
  wrap_dataflow();
  check();
  warnings_ = metric_warnings({manifest_, *catalog_, *kinds_, input()});
  for (const plugins::Shadowed& shadowed : catalog_->shadowed())
    if (std::ranges::find(manifest_.plugins, shadowed.path) != manifest_.plugins.end())
      warnings_.push_back("/plugins: " + shadowed.id + " of " + shadowed.path +
                          " is not used: " + shadowed.by + " comes first and has it as well");
}

// Checks everything that can be checked without code of a plugin.
void Setup::check() const {
  std::vector<const Component*> made = components(), all = made;
  if (manifest_.optimizer) all.push_back(&*manifest_.optimizer);
  for (const Component& processor : manifest_.gradient_processors) all.push_back(&processor);
  for (const Component* component : all) check_functions(*component);
  require_usable(all, *catalog_);
  require_references(made);
  require_updates(manifest_);
  require_devices(manifest_);
}

std::vector<const Component*> Setup::components() const {
  std::vector<const Component*> list;
  if (manifest_.model) list.push_back(&*manifest_.model);
  if (input_) list.push_back(&*input_);
  list.push_back(&manifest_.trainer);
  for (const Component& component : manifest_.session_init) list.push_back(&component);
  for (const Component* component : callbacks()) list.push_back(component);
  for (const Component& component : manifest_.monitors) list.push_back(&component);
  return list;
}

std::vector<const Component*> Setup::callbacks() const {
  std::vector<const Component*> list;
  for (const Component& component : manifest_.callbacks) list.push_back(&component);
  for (const Component& component : manifest_.extra_callbacks) list.push_back(&component);
  return list;
}

// nr_tower and tower are alternative notations for the devices of the trainer, which alone are in
// the manifest afterwards: so the resolved one can be read again.
void Setup::place_towers() {
  if (!manifest_.towers_given) return;
  Value& entry = manifest_.trainer.entry;
  const Value* with = entry.find("with");
  if (with && with->find("devices"))
    throw manifest::fault_at(with->find("devices")->origin(), "/trainer/with/devices",
                             {"devices beside nr_tower or tower", "one of them", ""});
  const manifest::Origin origin = manifest::made_by("nr_tower or tower");
  if (!with) entry.set("with", Value(Value::Object{}, origin));
  entry.find("with")->set("devices", device_list(manifest_.tower, origin));
  manifest_.value.set("trainer", entry);
  Value null;
  null.set_origin(origin);
  manifest_.value.set("nr_tower", Value(int64_t{1}, origin));
  manifest_.value.set("tower", null);
}

void Setup::wrap_dataflow() {
  const plugins::Component& trainer = catalog_->find(manifest_.trainer.use).component;
  const std::string& required = trainer.requires_input;
  if (manifest_.data) {
    if (!required.empty() && manifest_.data->use != required)
      throw manifest::fault_at(
          manifest_.data->entry.origin(), "/data",
          {"the input source " + manifest_.data->use, required + " with the trainer " + trainer.id,
           "use this input source, or another trainer"});
    input_ = *manifest_.data;
  } else if (manifest_.dataflow) {
    const std::string& use = !required.empty() ? required
                             : !trainer.default_input.empty()
                                 ? trainer.default_input
                                 : manifest::default_id("input_source");
    const Value entry = wrapped(use, "dataflow", manifest_.dataflow->entry,
                                manifest::made_by("the default input source of a dataflow"));
    input_ = manifest::resolve_component(entry, "input_source", *kinds_, "/dataflow");
  }
  stage_input();
}

// An input source may name another one that goes around it if there are several towers, as staging
// around a queue. tensorpack: `apply_default_prefetch`.
void Setup::stage_input() {
  if (!input_ || !stages(manifest_.trainer)) return;
  const plugins::Component* source = catalog_->look_up(input_->use);
  if (!source || source->staged_by.empty()) return;
  const Value entry = wrapped(source->staged_by, "input", input_->entry,
                              manifest::made_by("gpu_prefetch of a trainer with several towers"));
  input_ = manifest::resolve_component(entry, "input_source", *kinds_, input_->pointer);
}

void Setup::check_functions(const Component& component) const {
  if (component.is_reference()) return;
  for (const FunctionOption& option : find_functions(component, *kinds_))
    manifest::Expression(*option.value, manifest::option_pointer(component, option.pointer));
  for (const Component& child : component.children) check_functions(child);
}

}  // namespace broch::session
