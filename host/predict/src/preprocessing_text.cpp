// preprocessing_text.cpp: the steps as a bundle has them, written and read.
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plain_file_table.hpp"
#include "predict/preprocessing.hpp"
#include "value/json.hpp"

namespace broch::predict {
namespace {

using value::Value;

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

void require_files(Preprocessing& read, const std::string& place) {
  for_each_reference(read, [&](const Value& option) {
    if (!file_of(read, option.string()))
      base::fail(base::Exit::data, place + ": preprocessing", base::quoted(option.string()),
                 "a file that is in the bundle", "write it again with broch export");
  });
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

void for_each_reference(Value& value, const std::function<void(Value& option)>& found) {
  if (value.is(Value::Kind::string) && value.string().starts_with(kFileReference)) found(value);
  if (value.is(Value::Kind::array))
    for (Value& one : value.array()) for_each_reference(one, found);
  if (value.is(Value::Kind::object))
    for (value::Member& one : value.object()) for_each_reference(one.value, found);
}

void for_each_reference(Preprocessing& preprocessing,
                        const std::function<void(Value& option)>& found) {
  for_each_reference(preprocessing.source, found);
  for (Value& step : preprocessing.steps) for_each_reference(step, found);
}

const std::string* file_of(const Preprocessing& preprocessing, std::string_view option) {
  if (!option.starts_with(kFileReference)) return nullptr;
  option.remove_prefix(std::string_view(kFileReference).size());
  const auto found = preprocessing.files.find(std::string(option));
  return found == preprocessing.files.end() ? nullptr : &found->second;
}

bool does_something(const Preprocessing& preprocessing) {
  const Value& source = preprocessing.source;
  if (!preprocessing.steps.empty()) return true;
  // Otherwise a sample is not changed, and its components are named by order.
  return !source.is_null() && (reads_files(source) || !source.find("with")->object().empty());
}

std::string to_text(const Preprocessing& preprocessing) {
  Value whole{Value::Object{}};
  if (!preprocessing.missing.empty()) {
    whole.set("missing", list_of(preprocessing.missing));
    return value::to_text(whole);
  }
  if (!does_something(preprocessing)) return "";
  whole.set("source", preprocessing.source);
  whole.set("steps", Value(Value::Array(preprocessing.steps)));
  whole.set("inputs", list_of(preprocessing.inputs));
  return value::to_text(whole);
}

Preprocessing preprocessing_from(const std::string& text, const std::string& place,
                                 bundle::Files files) {
  Preprocessing read;
  read.files = std::move(files);
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
  require_files(read, place);
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
