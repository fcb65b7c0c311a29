// file_arrays.cpp: by the names that the arrays have in the training data, or by those of the
// inputs.
#include "file_arrays.hpp"

#include <algorithm>

#include "archive/refuse.hpp"
#include "archive/zip.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::predict {
namespace {

using base::Exit;
using value::Value;

std::vector<std::string> arrays_in(const std::string& file) {
  std::vector<std::string> arrays;
  try {
    for (const archive::ZipMember& member : archive::zip_members(archive::File(file))) {
      std::string& name = arrays.emplace_back(member.name);
      if (name.ends_with(".npy")) name.resize(name.size() - 4);
    }
  } catch (const archive::FileError& error) {
    base::fail(Exit::data, error.place, error.found, error.expected, error.next);
  }
  return arrays;
}

// The name of its array in the training data; "": it has none.
std::string array_of(const Value& component) {
  const Value* const array = component.find("array");
  return array && array->is(Value::Kind::string) ? array->string() : "";
}

// The components of the training data, read from this file, which has these arrays, or one without
// a name; null: it does not have them. source: the dataflow of the training data. known: what its
// components are; empty: it is unknown which are needed, as where transforms rename them.
Value as_in_training(Value source, const std::string& file, const std::vector<std::string>& arrays,
                     const std::vector<SourceComponent>& known) {
  drop_absent(source, known);
  const Value* const components = value::find_at(source, "/with/components");
  if (!components || !components->is(Value::Kind::array)) return Value();
  const size_t count = components->array().size();
  Value::Array found;
  for (const Value& one : components->array())
    if (const std::string array = array_of(one);
        !array.empty() && std::ranges::find(arrays, array) != arrays.end())
      found.push_back(one);
  // The only array may have any name.
  if (found.empty() && arrays.size() < 2 && count == 1) {
    found = components->array();
    if (!found[0].is(Value::Kind::object)) return Value();
    found[0].remove("array");
  }
  if (found.empty() || (!known.empty() && found.size() < count)) return Value();
  for (Value& one : found) one.set("file", Value(file));
  return Value(std::move(found));
}

// "", or ", or as in the manifest: features, kinds".
std::string arrays_of_training(const Value* components) {
  std::vector<std::string> arrays;
  if (components && components->is(Value::Kind::array))
    for (const Value& one : components->array())
      if (const std::string array = array_of(one); !array.empty()) arrays.push_back(array);
  return arrays.empty() ? "" : ", or as in the manifest: " + base::join(arrays, ", ");
}

// One component for each array of this file with the name of an input. others: what else the
// arrays could be, for the message.
void add_arrays(Value& with, const std::string& file, const std::vector<std::string>& arrays,
                const Ports& ports, const std::string& others) {
  if (arrays.size() < 2 && ports.inputs.size() < 2) return;
  Value::Array components;
  for (const abi::InputSpec& input : ports.inputs) {
    if (std::ranges::find(arrays, input.name) == arrays.end())
      base::fail(Exit::data, file, "arrays " + base::join(arrays, ", "),
                 "one with the name of the input '" + input.name + "'" + others,
                 "save it with this name, or write a dataflow as JSON");
    Value one{Value::Object{}};
    one.set("file", Value(file));
    one.set("array", Value(input.name));
    one.set("name", Value(input.name));
    components.push_back(std::move(one));
  }
  with.set("components", Value(std::move(components)));
}

}  // namespace

void choose_arrays(Value& with, const ArrayFile& file, const Value* like,
                   const std::vector<SourceComponent>& known, const Ports& ports) {
  const std::vector<std::string> arrays =
      file.has_names ? arrays_in(file.path) : std::vector<std::string>();
  Value found;
  std::string others;
  if (like) {
    found = as_in_training(*like, file.path, arrays, known);
    others = arrays_of_training(value::find_at(*like, "/with/components"));
  }
  if (!found.is_null())
    with.set("components", std::move(found));
  else if (file.has_names)
    add_arrays(with, file.path, arrays, ports, others);
}

}  // namespace broch::predict
