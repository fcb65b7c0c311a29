// hyper_places.cpp: compares the optimizers in the manifest with the declared hyper-parameters.
#include "hyper_places.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "value/schema.hpp"

namespace broch::session {
namespace {

using value::Value;

using Numbers = std::map<std::string, double>;  // initial values; names without prefix

struct Entry {
  std::string options;  // pointer to its "with"
  Value with;           // completed with defaults
  const Value* schema;  // schema for "with"
};

std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }

// Adds an entry of an optimizer, and the optimizers inside it.
void add_entries(const Value& value, const std::string& pointer, const manifest::Catalog& kinds,
                 std::vector<Entry>& entries) {
  const Value* const use = value.find("use");
  if (!use || !use->is(Value::Kind::string)) return;
  const std::string id = manifest::full_id(use->string(), "optimizer");
  const auto* const kind = kinds.find(id);
  if (!kind || !std::ranges::count(kind->roles, "optimizer")) return;
  const Value* const given = value.find("with");
  value::Faults faults;
  Entry entry{pointer + "/with",
              value::check_value(given ? *given : Value(Value::Object{}), kind->options, id,
                                 pointer, faults)
                  .value,
              &kind->options};
  for (const std::string& key : entry.with.keys())
    add_entries(*entry.with.find(key), entry.options + "/" + key, kinds, entries);
  entries.push_back(std::move(entry));
}

// The entries in "optimizer" and in the options of the trainer.
std::vector<Entry> entries_of(const manifest::Manifest& manifest, const manifest::Catalog& kinds) {
  std::vector<Entry> entries;
  if (const Value* const entry = manifest.value.find("optimizer"))
    add_entries(*entry, "/optimizer", kinds, entries);
  const Value& options = manifest.trainer.with();
  for (const std::string& key : options.keys())
    add_entries(*options.find(key), "/trainer/with/" + key, kinds, entries);
  return entries;
}

bool takes(const Entry& entry, const std::string& name) {
  const Value* const properties = entry.schema->find("properties");
  return properties && properties->find(name);
}

bool declares(const Entry& entry, const Numbers& numbers) {
  bool any = false;
  for (const auto& [name, initial] : numbers) {
    const Value* const said = entry.with.find(name);
    if (said && (!said->is_number() || said->number() != initial)) return false;
    any = any || takes(entry, name);
  }
  return any;
}

}  // namespace

std::map<std::string, std::vector<std::string>> hyper_places(const manifest::Manifest& manifest,
                                                             const manifest::Catalog& kinds,
                                                             const runtime::HyperParams& hypers) {
  std::map<std::string, Numbers> groups;  // by prefix
  for (const std::string& name : hypers.names()) {
    const std::string part = last_part(name);
    groups[name.substr(0, name.size() - part.size())][part] = hypers.initial(name);
  }
  std::map<std::string, std::vector<std::string>> places;
  for (const Entry& entry : entries_of(manifest, kinds))
    for (const auto& [prefix, numbers] : groups) {
      if (!declares(entry, numbers)) continue;
      for (const auto& [name, initial] : numbers)
        if (takes(entry, name)) places[prefix + name].push_back(entry.options + "/" + name);
    }
  return places;
}

}  // namespace broch::session
