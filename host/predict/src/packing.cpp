// packing.cpp: finds the options that name files by the schemas of the components.
#include "packing.hpp"

#include <filesystem>
#include <optional>

#include "base/content.hpp"
#include "data/flow.hpp"
#include "predict/preprocessing.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;
using value::Value;

}  // namespace

void Packing::add(const manifest::Component& component, Value& entry) {
  const std::string what = component.use + " (" + component.pointer + ")";
  if (!component.use.starts_with("broch.")) missing_.push_back(what + ", which is in a plugin");
  Value* const with = entry.find("with");
  if (!with) return;
  if (const auto* kind = setup_.kinds().find(component.use))
    add_option(what, "", kind->options, *with);
  for (const manifest::Component& child : component.children)
    if (Value* const inner = value::find_at(*with, child.slot); inner && !data::dataflow_in(child))
      add(child, *inner);
}

void Packing::add_option(const std::string& what, const std::string& key, const Value& schema,
                         Value& option) {
  if (const Value* any = schema.find("anyOf"))
    for (const Value& one : any->array()) add_option(what, key, one, option);
  if (option.is(Value::Kind::array))
    if (const Value* items = schema.find("items"))
      for (Value& one : option.array()) add_option(what, key, *items, one);
  if (option.is(Value::Kind::object))
    for (value::Member& one : option.object())
      if (const Value* properties = schema.find("properties"))
        if (const Value* inner = properties->find(one.key))
          add_option(what, one.key, *inner, one.value);
  const Value* const is_path = schema.find("x-broch-path");
  if (option.is(Value::Kind::string) && is_path && is_path->boolean())
    add_file(what + ", which needs the file " + key, option);
}

void Packing::add_file(const std::string& what, Value& path) {
  if (path.string().starts_with(kFileReference)) return;  // found by two schemas
  const std::string where = what + " " + path.string();
  if (most_ == 0) return missing_.push_back(where);
  std::error_code error;
  const uint64_t size = fs::file_size(path.string(), error);
  const bool is_large = !error && size > most_;
  const bool is_read = !is_large && fs::is_regular_file(path.string(), error);
  const auto bytes = is_read ? base::content_of(path.string()) : std::nullopt;
  if (!bytes && !is_large) return missing_.push_back(where + ", which cannot be read");
  const std::string name = is_large ? "" : name_for(path.string(), *bytes);
  if (is_large || (!files_.contains(name) && bytes_ + bytes->size() > most_))
    return missing_.push_back(where + " of " + std::to_string(size) + " bytes, where " +
                              std::to_string(most_) + " are the most for all files together");
  if (!files_.contains(name)) bytes_ += bytes->size();
  files_.emplace(name, *bytes);
  path = Value(kFileReference + name);
}

// The same for equal files.
std::string Packing::name_for(const std::string& path, const std::string& bytes) const {
  for (const auto& [name, there] : files_)
    if (there == bytes) return name;
  std::string own = fs::path(path).filename().string();
  if (!bundle::is_file_name("1000000-" + own)) own = "file";
  std::string name = own;
  for (size_t i = 2; files_.contains(name); ++i) name = std::to_string(i) + "-" + own;
  return name;
}

}  // namespace broch::predict
