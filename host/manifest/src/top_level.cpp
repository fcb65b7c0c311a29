// top_level.cpp: the keys of a manifest.
#include "top_level.hpp"

#include "base/text.hpp"
#include "embedded.hpp"
#include "manifest/component.hpp"
#include "manifest/defaults.hpp"
#include "template.hpp"
#include "value/concealed.hpp"
#include "value/json.hpp"
#include "value/schema_words.hpp"

namespace broch::manifest {
namespace {

using Kind = Value::Kind;

constexpr std::pair<const char*, const char*> kRefused[] = {
    {"session_creator", "there are no sessions here; the key \"runtime\" says how to compute"},
    {"session_config", "there are no sessions here; the key \"runtime\" says how to compute"},
    {"dataset", "dataset is the old name of dataflow; write \"dataflow\""},
};

bool is_given(const Value& manifest, const char* key) {
  const Value* value = manifest.find(key);
  return value != nullptr && !value->is_null();
}

Value default_of(const std::string& key, Value value) {
  value.set_origin_deep(made_by("default of " + key));
  return value;
}

// The log folder of a run. A secret in the name stays concealed.
Value folder_for(const Value& name) {
  constexpr char kFolder[] = "train_log/";
  Value folder = default_of("log_dir", Value(kFolder + name.string()));
  const auto& substitution = name.origin().substitution;
  if (substitution == nullptr || substitution->concealed.empty()) return folder;
  Origin origin = folder.origin();
  origin.substitution = std::make_shared<const Substitution>(
      Substitution{"", false, kFolder + substitution->concealed});
  folder.set_origin(std::move(origin));
  return folder;
}

// Converts names in component slots to entries, so that overrides can change options. A ${…} is
// left alone, since its value may be an entry.
void spell_out_entries(Value& value) {
  if (value.is(Kind::array)) {
    for (Value& item : value.array()) spell_out_entries(item);
  } else if (value.is(Kind::string) && !is_one_substitution(value.string())) {
    Value entry(Value::Object{}, value.origin());
    entry.set("use", value);
    value = std::move(entry);
  }
}

bool holds_components(const Value& schema) {
  if (schema.find("x-broch-component") != nullptr) return true;
  const Value* items = schema.find("items");
  return items != nullptr ? holds_components(*items)
                          : schema.find("anyOf") != nullptr &&
                                find_at(schema, "/anyOf/1/x-broch-component") != nullptr;
}

// Converts a single number or word to a list.
void listed(Value& manifest, const char* key) {
  Value* value = manifest.find(key);
  if (value == nullptr) return;
  *value = as_wanted(*value, *top_level_schema().find("properties")->find(key));
  if (!value->is_number() && !value->is(Kind::string)) return;
  const Origin origin = value->origin();
  *value = Value(Value::Array{*value}, origin);
}

void exclude(const Value& manifest, const char* first, const char* second, const char* hint,
             Faults& faults) {
  if (!is_given(manifest, first) || !is_given(manifest, second)) return;
  const Value& later = *manifest.find(second);
  faults.add(later.origin(), std::string("/") + second,
             {base::quoted(second) + " beside " + base::quoted(first) + " (at " +
                  manifest.find(first)->origin().text() + ")",
              "one of the two", hint});
}

// Where the schema says "plugins/defaults.json", the default stands there under the same key.
Value schema_with_defaults() {
  Value schema = parse_text("schema of the manifest", kManifestSchema);
  for (Member& property : schema.find("properties")->object())
    if (const Value* standard = property.value.find("default");
        standard != nullptr && *standard == Value("plugins/defaults.json"))
      property.value.set("default", *defaults().find(property.key));
  return schema;
}

}  // namespace

const Value& top_level_schema() {
  static const Value schema = schema_with_defaults();
  return schema;
}

std::vector<std::string> component_keys() {
  std::vector<std::string> keys;
  for (const Member& property : top_level_schema().find("properties")->object()) {
    if (holds_components(property.value)) keys.push_back(property.key);
  }
  return keys;
}

const char* why_refused(const std::string& key) {
  for (const auto& [refused, reason] : kRefused) {
    if (key == refused) return reason;
  }
  return nullptr;
}

void require_vars(const Value& manifest) {
  const Value* vars = manifest.find("vars");
  if (vars != nullptr && !vars->is(Kind::object)) {
    throw fault_at(vars->origin(), "/vars",
                   {in_words(*vars), "an object", "write \"vars\": {\"name\": value}"});
  }
}

void require_format(const Value& manifest) {
  if (!manifest.is(Kind::object)) {
    throw fault_at(manifest.origin(), "",
                   {in_words(manifest), "an object", "a manifest looks like {\"broch\": 1, …}"});
  }
  const Value* version = manifest.find("broch");
  if (version == nullptr) {
    throw fault_at(manifest.origin(), "",
                   {"no key 'broch'", "\"broch\": 1", "version of the manifest format"});
  }
  if (!(*version == Value(int64_t{1}))) {
    throw fault_at(version->origin(), "/broch",
                   {in_words(*version), "1", "this program reads manifest format 1"});
  }
  require_vars(manifest);
  Faults faults;
  for (const Member& member : manifest.object()) {
    const char* reason = why_refused(member.key);
    if (reason == nullptr) continue;
    faults.add(member.origin, "/" + member.key,
               {"key " + base::quoted(member.key), "one of the keys of a manifest", reason});
  }
  faults.raise();
}

void fill_in_name(Value& manifest, const std::string& file_stem) {
  if (manifest.find("name") != nullptr) return;
  manifest.set("name",
               default_of("name", Value(file_stem.empty() ? "run" : as_literal(file_stem))));
}

void expand_defaults(Value& manifest, const std::string& file_stem) {
  fill_in_name(manifest, file_stem);
  for (const Member& property : top_level_schema().find("properties")->object()) {
    const Value* standard = property.value.find("default");
    Value* written = manifest.find(property.key);
    const bool null_list = written != nullptr && written->is_null() && standard != nullptr &&
                           standard->is(Kind::array);  // null means the defaults
    if (standard != nullptr && (written == nullptr || null_list)) {
      written = &manifest.set(property.key, default_of(property.key, *standard));
    }
    if (written != nullptr && holds_components(property.value)) spell_out_entries(*written);
  }
  Value& runtime = *manifest.find("runtime");
  if (!runtime.is(Kind::object)) return;
  const Value* known = find_at(top_level_schema(), "/properties/runtime/properties");
  for (const Member& property : known->object()) {
    if (runtime.find(property.key) != nullptr) continue;
    runtime.set(property.key,
                default_of("runtime." + property.key, *property.value.find("default")));
  }
}

void settle_defaults(Value& manifest) {
  for (const Member& property : top_level_schema().find("properties")->object()) {
    const Value* standard = property.value.find("default");
    Value* value = manifest.find(property.key);
    if (value != nullptr && value->is_null() && standard != nullptr && standard->is(Kind::array)) {
      *value = default_of(property.key, *standard);
    }
    if (value != nullptr && holds_components(property.value)) spell_out_entries(*value);
  }
  listed(manifest, "tower");
  listed(manifest, "predict_tower");
  listed(manifest, "predict_devices");
  const Value* name = manifest.find("name");
  if (!is_given(manifest, "log_dir") && name != nullptr && name->is(Kind::string)) {
    manifest.set("log_dir", folder_for(*name));
  }
  Value* towers = manifest.find("nr_tower");
  if (towers != nullptr && towers->is_number() && towers->number() < 1) {
    *towers = Value(int64_t{1}, towers->origin());  // tensorpack: `TrainConfig`
  }
}

void check_together(const Value& manifest, Faults& faults) {
  exclude(manifest, "dataflow", "data", "remove one of them; data is what dataflow is wrapped into",
          faults);
  if (is_given(manifest, "remap_input_source") && !is_given(manifest, "dataflow") &&
      !is_given(manifest, "data"))
    faults.add(manifest.find("remap_input_source")->origin(), "/remap_input_source",
               {"inputs of no data", "a dataflow or data beside it", "remove it"});
  exclude(manifest, "predict_tower", "predict_devices", "remove predict_tower", faults);
  const Value* towers = manifest.find("nr_tower");
  const bool several = towers != nullptr && towers->is_number() && towers->number() > 1;
  if (several)
    exclude(manifest, "nr_tower", "tower", "remove nr_tower: tower has a length", faults);
  const Value* devices = find_at(manifest, "/trainer/with/devices");
  for (const char* key : {"nr_tower", "tower"}) {
    if (devices == nullptr || !is_given(manifest, key) || (key[0] == 'n' && !several)) continue;
    faults.add(devices->origin(), "/trainer/with/devices",
               {"'devices' beside " + base::quoted(key) + " (at " +
                    manifest.find(key)->origin().text() + ")",
                "one of the two", "remove " + std::string(key)});
  }
}

}  // namespace broch::manifest
