// class_names.cpp: finds lists of names as the table plain_files.json says.
#include "class_names.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "data/flow.hpp"
#include "predict/preprocessing.hpp"
#include "stages.hpp"
#include "value/json.hpp"

namespace broch::predict {
namespace {

using value::Value;

// None if it is no list of texts.
std::vector<std::string> texts_in(const Value* list) {
  std::vector<std::string> texts;
  if (!list || !list->is(Value::Kind::array)) return texts;
  for (const Value& one : list->array())
    if (one.is(Value::Kind::string)) texts.push_back(one.string());
  return texts.size() == list->array().size() ? texts : std::vector<std::string>();
}

// The index of the only input that a prediction does not need. signature.size(): there are several,
// or none.
size_t label_of(const std::vector<abi::InputSpec>& signature,
                const std::vector<abi::InputSpec>& needed) {
  size_t label = signature.size(), count = 0;
  for (size_t i = 0; i < signature.size(); ++i)
    if (std::ranges::count(needed, signature[i].name, &abi::InputSpec::name) == 0) {
      label = i;
      ++count;
    }
  return count == 1 ? label : signature.size();
}

// The component that becomes this input: by its name, or by order if nothing changes that.
const Value* component_for(const Value& components, const abi::InputSpec& input, size_t index,
                           bool keeps_order) {
  const auto name_of = [](const Value& component) -> const Value* {
    const Value* const name = component.is(Value::Kind::object) ? component.find("name") : nullptr;
    return name && name->is(Value::Kind::string) ? name : nullptr;
  };
  bool has_names = false;
  for (const Value& one : components.array()) {
    const Value* const name = name_of(one);
    has_names |= name != nullptr;
    if (name && name->string() == input.name) return &one;
  }
  if (has_names || !keeps_order || index >= components.array().size()) return nullptr;
  return &components.array()[index];
}

}  // namespace

std::vector<std::string> class_names(const session::Setup& setup,
                                     const std::vector<abi::InputSpec>& signature,
                                     const std::vector<abi::InputSpec>& needed) {
  const auto stages = stages_of(setup.input() ? data::dataflow_in(*setup.input()) : nullptr);
  const size_t label = label_of(signature, needed);
  if (stages.empty() || label == signature.size()) return {};
  const Value& source = stages.back()->entry;
  for (const Value& entry : plain_files().find("classes")->array()) {
    if (!uses(entry.find("of"), source)) continue;
    const Value& with = *source.find("with");
    const std::string& option = entry.find("option")->string();
    const Value* const each = entry.find("each");
    if (!each) return texts_in(with.find(option));
    const Value* const components = with.find(each->string());
    if (!components || !components->is(Value::Kind::array)) return {};
    const Value* const found =
        component_for(*components, signature[label], label, stages.size() == 1);
    return found && found->is(Value::Kind::object) ? texts_in(found->find(option))
                                                   : std::vector<std::string>();
  }
  return {};
}

std::string to_text(const std::vector<std::string>& classes) {
  Value::Array list;
  for (const std::string& one : classes) list.emplace_back(one);
  return value::to_text(Value(std::move(list)));
}

std::vector<std::string> classes_from(const std::string& text, const std::string& place) {
  const std::string where = place + ": " + kClasses;
  std::vector<std::string> classes;
  try {
    const Value list = value::parse_text(where, text);
    classes = texts_in(&list);
  } catch (const base::Error& error) {
    throw base::Error(base::Exit::data, error.what());
  }
  if (classes.empty())
    base::fail(base::Exit::data, where, text, "a list of names",
               "write it again with broch export");
  return classes;
}

}  // namespace broch::predict
