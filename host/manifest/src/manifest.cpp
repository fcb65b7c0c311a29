// manifest.cpp: from a checked value to typed fields.
#include "manifest/manifest.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "extends.hpp"
#include "manifest/overrides.hpp"
#include "substitution.hpp"
#include "top_level.hpp"
#include "value/concealed.hpp"
#include "value/json.hpp"
#include "value/paths.hpp"
#include "value/schema.hpp"

namespace broch::manifest {
namespace {

using Kind = Value::Kind;

std::vector<std::string> strings(const Value& list) {
  std::vector<std::string> result;
  if (list.is(Kind::array)) {
    for (const Value& item : list.array()) result.push_back(item.string());
  }
  return result;
}

std::vector<int64_t> integers(const Value& list) {
  std::vector<int64_t> result;
  if (list.is(Kind::array)) {
    for (const Value& item : list.array()) result.push_back(item.integer());
  }
  return result;
}

// Sets the fields of a manifest from a value that passed the schema.
class Builder {
 public:
  explicit Builder(Manifest& manifest) : manifest_(manifest), value_(manifest.value) {}

  void fields() {
    manifest_.name = at("name").string();
    manifest_.seed = at("seed").integer();
    manifest_.plugins = strings(at("plugins"));
    manifest_.remap_input_source = strings(at("remap_input_source"));
    manifest_.starting_epoch = at("starting_epoch").integer();
    manifest_.max_epoch = at("max_epoch").integer();
    epoch_length();
    towers();
    log_dir();
    runtime();
  }

  void place(Component component) {
    const std::string& pointer = component.pointer;
    const std::string key = pointer.substr(1, pointer.find('/', 1) - 1);
    if (std::vector<Component>* list = list_of(key)) {
      list->push_back(std::move(component));
    } else if (key == "trainer") {
      manifest_.trainer = std::move(component);
    } else {
      *single(key) = std::move(component);
    }
  }

 private:
  const Value& at(const char* key) const { return *value_.find(key); }

  void epoch_length() {
    const Value& steps = at("steps_per_epoch");
    if (steps.is(Kind::integer)) manifest_.steps_per_epoch.steps = steps.integer();
    if (const Value* samples = steps.find("samples")) {
      manifest_.steps_per_epoch.samples = samples->integer();
    }
  }

  void towers() {
    manifest_.nr_tower = at("nr_tower").integer();
    manifest_.tower = integers(at("tower"));
    manifest_.towers_given = manifest_.nr_tower > 1 || !manifest_.tower.empty();
    if (manifest_.tower.empty()) {
      for (int64_t i = 0; i < manifest_.nr_tower; ++i) manifest_.tower.push_back(i);
    }
    manifest_.nr_tower = static_cast<int64_t>(manifest_.tower.size());
    manifest_.predict_tower = integers(at("predict_tower"));
    manifest_.predict_devices = strings(at("predict_devices"));
  }

  void log_dir() {
    const Value& path = value_.set("log_dir", absolute(at("log_dir"), working_directory()));
    manifest_.log_dir = path.string();
    manifest_.log_dir_action = at("log_dir_action").string();
    const Value& resume = at("resume");
    const bool is_text = resume.is(Kind::string);
    manifest_.resume = {is_text || resume.boolean(), is_text ? resume.string() : ""};
  }

  void runtime() {
    const Value& runtime = at("runtime");
    Runtime& result = manifest_.runtime;
    result.execution = runtime.find("execution")->string();
    result.level = runtime.find("level")->string();
    result.bf16 = runtime.find("precision")->string() == "bf16";
    result.disabled_passes = strings(*runtime.find("disabled_passes"));
    result.collectives = runtime.find("collectives")->string();
    result.collective_timeout = runtime.find("collective_timeout")->number();
    result.deterministic = runtime.find("deterministic")->boolean();
    result.consistent = runtime.find("consistency")->string() == "step";
    const Value& step_timeout = *runtime.find("step_timeout");
    if (!step_timeout.is_null()) result.step_timeout = step_timeout.number();
    const Value& threads = *runtime.find("threads");
    if (!threads.is_null()) result.threads = threads.integer();
  }

  std::vector<Component>* list_of(const std::string& key) {
    if (key == "callbacks") return &manifest_.callbacks;
    if (key == "extra_callbacks") return &manifest_.extra_callbacks;
    if (key == "monitors") return &manifest_.monitors;
    if (key == "gradient_processors") return &manifest_.gradient_processors;
    return key == "session_init" ? &manifest_.session_init : nullptr;
  }

  std::optional<Component>* single(const std::string& key) {
    if (key == "model") return &manifest_.model;
    if (key == "dataflow") return &manifest_.dataflow;
    return key == "data" ? &manifest_.data : &manifest_.optimizer;
  }

  Manifest& manifest_;
  Value& value_;
};

std::vector<Component*> components_of(Manifest& manifest) {
  std::vector<Component*> all;
  for (auto* one : {&manifest.model, &manifest.dataflow, &manifest.data, &manifest.optimizer}) {
    if (one->has_value()) all.push_back(&**one);
  }
  all.push_back(&manifest.trainer);
  for (auto* list : {&manifest.gradient_processors, &manifest.callbacks, &manifest.extra_callbacks,
                     &manifest.monitors, &manifest.session_init}) {
    for (Component& component : *list) all.push_back(&component);
  }
  return all;
}

// Collects names of instances, and references to them, from all components and their children.
class Names {
 public:
  explicit Names(Faults& faults) : faults_(faults) {}

  void gather(const Component& component) {
    if (component.is_reference()) {
      references_.push_back(*component.entry.find("ref"));
      pointers_.push_back(child_pointer(component.pointer, "ref"));
    }
    // With "when" the inner entry has the name; it is a child once options are known.
    if (!component.name.empty()) add(*component.entry.find("name"), component.pointer);
    for (const Component& child : component.children) gather(child);
  }

  void check_references() {
    std::vector<std::string> names;
    for (const auto& [name, origin] : places_) names.push_back(name);
    for (size_t i = 0; i < references_.size(); ++i) {
      const std::string& name = references_[i].string();
      if (places_.contains(name)) continue;
      faults_.add(references_[i].origin(), pointers_[i],
                  {"a reference to " + base::quoted(name),
                   names.empty() ? "the \"name\" of an instance (none has one)" : one_of(names),
                   nearest_hint(name, names, "give the instance that is meant a \"name\"")});
    }
  }

 private:
  void add(const Value& name, const std::string& pointer) {
    const auto [first, is_new] = places_.emplace(name.string(), name.origin());
    if (is_new) return;
    faults_.add(
        name.origin(), child_pointer(pointer, "name"),
        {"the name " + base::quoted(name.string()) + " a second time",
         "each name once (the first is at " + first->second.text() + ")", "choose another name"});
  }

  Faults& faults_;
  std::map<std::string, Origin> places_;
  std::vector<Value> references_;
  std::vector<std::string> pointers_;
};

void build(Manifest& manifest) {
  Faults faults;
  Checked checked = check_value(manifest.value, top_level_schema(), "", "", faults);
  manifest.value = std::move(checked.value);
  manifest.value.remove("$schema");  // only for editors of that file
  check_together(manifest.value, faults);
  Builder builder(manifest);
  Names names(faults);
  for (const ChildSlot& slot : checked.children) {
    Value& place = *find_at(manifest.value, slot.pointer);
    Component component = read_component(place, slot.role, slot.pointer, faults);
    names.gather(component);
    place = component.entry;
    builder.place(std::move(component));
  }
  faults.raise();
  builder.fields();
}

// What the trainer needs and the manifest does not have.
void check_needs(const Manifest& manifest, const Catalog& catalog, Faults& faults) {
  const std::string& trainer = manifest.trainer.use;
  const Catalog::Kind* kind = catalog.find(trainer);
  if (kind == nullptr) return;
  const auto needs = [kind](const char* what) {
    return std::find(kind->needs.begin(), kind->needs.end(), what) != kind->needs.end();
  };
  if (needs("model") && !manifest.model)
    faults.add(manifest.value.origin(), "/model",
               {"no model", "a component of role model, since trainer " + trainer + " trains one",
                "add \"model\": {\"use\": …}"});
  if (needs("input") && !manifest.dataflow && !manifest.data)
    faults.add(
        manifest.value.origin(), "/dataflow",
        {"neither dataflow nor data", "one of them, since trainer " + trainer + " needs input",
         "add \"dataflow\": {\"use\": …}"});
}

void list_origins(const Value& value, const std::string& pointer,
                  std::vector<std::pair<std::string, std::string>>& lines) {
  const size_t before = lines.size();
  if (value.is(Kind::array)) {
    for (size_t i = 0; i < value.array().size(); ++i) {
      list_origins(value.array()[i], child_pointer(pointer, i), lines);
    }
  }
  if (value.is(Kind::object)) {
    for (const Member& member : value.object()) {
      list_origins(member.value, child_pointer(pointer, member.key), lines);
    }
  }
  if (lines.size() == before) lines.emplace_back(pointer, value.origin().text());
}

}  // namespace

Surroundings process_surroundings() {
  return {[](const std::string& path) { return read_source(path, limits_of(path)); },
          [](const std::string& name) -> std::optional<std::string> {
            const char* value = std::getenv(name.c_str());
            return value == nullptr ? std::nullopt : std::optional<std::string>(value);
          }};
}

Manifest load(const std::string& path, const std::vector<std::string>& overrides) {
  return load_source(read_source(path, limits_of(path)), overrides);
}

Manifest load_source(std::shared_ptr<const Source> source,
                     const std::vector<std::string>& overrides, const Surroundings& surroundings) {
  Manifest manifest;
  manifest.source = source;
  Composed composed = compose(source, surroundings.read);
  manifest.value = std::move(composed.value);
  manifest.extended = std::move(composed.extended);
  const std::string stem = std::filesystem::path(source->name).stem().string();
  expand_defaults(manifest.value, stem);
  apply_overrides(manifest.value, overrides);
  fill_in_name(manifest.value, stem);
  require_vars(manifest.value);
  Faults faults;
  manifest.environment = substitute(manifest.value, surroundings.environment, faults);
  faults.raise();
  settle_defaults(manifest.value);
  build(manifest);
  return manifest;
}

void resolve(Manifest& manifest, const Catalog& catalog) {
  Faults faults;
  Names names(faults);
  for (Component* component : components_of(manifest)) {
    *component =
        resolve_component(component->entry, component->role, catalog, component->pointer, faults);
    names.gather(*component);
    *find_at(manifest.value, component->pointer) = component->entry;
  }
  names.check_references();
  check_needs(manifest, catalog, faults);
  faults.raise();
}

Value Manifest::resolved() const { return as_manifest(value); }

std::string Manifest::resolved_text() const { return to_pretty_text(resolved()); }

Value Manifest::inputs() const {
  Value::Array files;
  for (const auto& file : extended) {
    Value entry(Value::Object{});
    const std::filesystem::path name = std::filesystem::path(file->name).filename();
    entry.set("path", Value((std::filesystem::path(file->folder) / name).string()));
    entry.set("text", Value(file->text));
    files.push_back(std::move(entry));
  }
  Value given(Value::Object{});
  for (const EnvironmentValue& one : environment) {
    given.set(one.name, !one.value ? Value() : Value(one.is_secret ? "(not shown)" : *one.value));
  }
  Value inputs(Value::Object{});
  inputs.set("files", Value(std::move(files)));
  inputs.set("environment", std::move(given));
  return inputs;
}

std::vector<std::pair<std::string, std::string>> Manifest::origins() const {
  std::vector<std::pair<std::string, std::string>> lines;
  list_origins(value, "", lines);
  return lines;
}

const Value& manifest_schema() { return top_level_schema(); }

}  // namespace broch::manifest
