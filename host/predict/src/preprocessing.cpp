// preprocessing.cpp: finds the steps in a manifest, and writes them for a bundle.
#include "predict/preprocessing.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/flow.hpp"
#include "plain_file_table.hpp"
#include "value/json.hpp"

namespace broch::predict {
namespace {

using manifest::Component;
using value::Value;

const Component* flow_of(const session::Setup& setup) {
  for (const Component* callback : setup.callbacks())
    if (const Component* found = data::dataflow_in(*callback)) return found;
  return setup.input() ? data::dataflow_in(*setup.input()) : nullptr;
}

const Component* inner_flow(const Component& flow) {
  for (const Component& child : flow.children)
    if (const Component* found = data::dataflow_in(child)) return found;
  return nullptr;
}

bool is_step(const Component& flow) { return uses(plain_files().find("each_point"), flow.entry); }

// Whether files are read by the same dataflow, with another file.
bool reads_files(const Value& source) {
  return std::ranges::any_of(plain_files().find("files")->array(),
                             [&](const Value& kind) { return uses(kind.find("like"), source); });
}

// The dataflows that matter: the steps, outermost first, and the source.
std::vector<const Component*> stages_of(const session::Setup& setup) {
  std::vector<const Component*> stages;
  for (const Component* flow = flow_of(setup); flow && !flow->is_reference();
       flow = inner_flow(*flow))
    if (is_step(*flow) || !inner_flow(*flow)) stages.push_back(flow);
  return stages;
}

// Options with the name of a file, apart from the one that is replaced.
std::vector<std::string> files_of(const session::Setup& setup, const Component& component) {
  std::vector<std::string> files;
  const auto* kind = setup.kinds().find(component.use);
  const Value* properties = kind ? kind->options.find("properties") : nullptr;
  if (!properties) return files;
  for (const value::Member& property : properties->object()) {
    const Value* is_path = property.value.find("x-broch-path");
    const Value* given = component.with().find(property.key);
    if (is_path && is_path->boolean() && property.key != "file" && given &&
        given->is(Value::Kind::string))
      files.push_back(property.key + " " + given->string());
  }
  return files;
}

// What a bundle cannot contain of this component and of those inside it, the next dataflow apart.
void add_missing(const session::Setup& setup, const Component& component,
                 std::vector<std::string>& missing) {
  const std::string what = component.use + " (" + component.pointer + ")";
  if (!component.use.starts_with("broch.")) missing.push_back(what + ", which is in a plugin");
  for (const std::string& file : files_of(setup, component))
    missing.push_back(what + ", which needs the file " + file);
  for (const Component& child : component.children)
    if (!data::dataflow_in(child)) add_missing(setup, child, missing);
}

Value source_for_bundle(const Value& source) {
  Value kept = source;
  if (reads_files(source)) {
    kept.find("with")->remove("file");
    return kept;
  }
  Value with{Value::Object{}};
  if (const Value* names = source.find("with")->find("names")) with.set("names", *names);
  kept.set("with", std::move(with));
  return kept;
}

// A sample is not changed, and its components are named by order.
bool says_nothing(const Preprocessing& preprocessing) {
  const Value& source = preprocessing.source;
  return preprocessing.steps.empty() &&
         (source.is_null() || (!reads_files(source) && source.find("with")->object().empty()));
}

[[noreturn]] void refuse(const std::string& place, const std::string& found) {
  base::fail(base::Exit::data, place + ": preprocessing", found, "entries of dataflows",
             "write it again with broch export");
}

Value parsed(const std::string& text, const std::string& place) {
  try {
    return value::parse_text(place + ": preprocessing", text);
  } catch (const base::Error& error) {
    throw base::Error(base::Exit::data, error.what());
  }
}

// A bundle is no reason to call a plugin.
void require_built_in(const Value& value, const std::string& place) {
  if (value.is(Value::Kind::array))
    for (const Value& one : value.array()) require_built_in(one, place);
  if (!value.is(Value::Kind::object)) return;
  for (const value::Member& member : value.object()) {
    require_built_in(member.value, place);
    if (member.key == "use" &&
        (!member.value.is(Value::Kind::string) || !member.value.string().starts_with("broch.")))
      refuse(place, value::to_text(member.value));
  }
}

// An entry without the dataflow inside it.
void require_entry(const Value& entry, const std::string& place) {
  const Value *use = entry.find("use"), *with = entry.find("with");
  if (!use || !with || !with->is(Value::Kind::object)) refuse(place, value::to_text(entry));
  require_built_in(entry, place);
}

Value list_of(const std::vector<std::string>& words) {
  Value::Array list;
  for (const std::string& word : words) list.emplace_back(word);
  return Value(std::move(list));
}

std::vector<std::string> words_of(const Value* list, const std::string& place) {
  std::vector<std::string> words;
  if (!list) return words;
  if (!list->is(Value::Kind::array)) refuse(place, value::to_text(*list));
  for (const Value& one : list->array()) {
    if (!one.is(Value::Kind::string)) refuse(place, value::to_text(one));
    words.push_back(one.string());
  }
  return words;
}

}  // namespace

const Value& plain_files() {
  static const Value table = value::parse_text("plugins/plain_files.json", kPlainFileTable);
  return table;
}

bool uses(const Value* list, const Value& entry) {
  const Value* const id = entry.find("use");
  return list && id && std::ranges::any_of(list->array(), [&](const Value& one) {
           return manifest::full_id(one.string(), "dataflow") == id->string();
         });
}

Preprocessing preprocessing_of(const session::Setup& setup) {
  Preprocessing found;
  const std::vector<const Component*> stages = stages_of(setup);
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    if (!inner_flow(**stage)) {
      found.source = (*stage)->entry;
      continue;
    }
    Value step = (*stage)->entry;
    step.find("with")->remove("dataflow");
    found.steps.push_back(std::move(step));
  }
  return found;
}

Preprocessing portable(const session::Setup& setup, std::vector<std::string> inputs) {
  Preprocessing kept;
  for (const Component* stage : stages_of(setup))
    if (inner_flow(*stage) || reads_files(stage->entry)) add_missing(setup, *stage, kept.missing);
  if (!kept.missing.empty()) return kept;
  kept = preprocessing_of(setup);
  if (!kept.source.is_null()) kept.source = source_for_bundle(kept.source);
  kept.inputs = std::move(inputs);
  return kept;
}

std::string to_text(const Preprocessing& preprocessing) {
  Value whole{Value::Object{}};
  if (!preprocessing.missing.empty()) {
    whole.set("missing", list_of(preprocessing.missing));
    return value::to_text(whole);
  }
  if (says_nothing(preprocessing)) return "";
  whole.set("source", preprocessing.source);
  whole.set("steps", Value(Value::Array(preprocessing.steps)));
  whole.set("inputs", list_of(preprocessing.inputs));
  return value::to_text(whole);
}

Preprocessing preprocessing_from(const std::string& text, const std::string& place) {
  Preprocessing read;
  if (text.empty()) return read;
  const Value whole = parsed(text, place);
  read.missing = words_of(whole.find("missing"), place);
  read.inputs = words_of(whole.find("inputs"), place);
  if (const Value* steps = whole.find("steps")) {
    if (!steps->is(Value::Kind::array)) refuse(place, value::to_text(*steps));
    read.steps = steps->array();
  }
  for (const Value& step : read.steps) {
    require_entry(step, place);
    if (!uses(plain_files().find("each_point"), step)) refuse(place, value::to_text(step));
  }
  if (const Value* source = whole.find("source"); source && !source->is_null()) {
    require_entry(*source, place);
    read.source = *source;
  }
  return read;
}

std::vector<std::string> transforms_of(const Preprocessing& preprocessing) {
  std::vector<std::string> ids;
  for (const Value& step : preprocessing.steps) {
    const Value* const transforms = step.find("with")->find("transforms");
    if (!transforms) ids.push_back(step.find("use")->string());
    if (!transforms || !transforms->is(Value::Kind::array)) continue;
    for (const Value& one : transforms->array())
      if (const Value* id = one.find("use")) ids.push_back(id->string());
  }
  return ids;
}

}  // namespace broch::predict
