// plain_files.cpp: the table plain_files.json, and what it says of dataflows.
#include <algorithm>

#include "base/text.hpp"
#include "manifest/component.hpp"
#include "plain_file_table.hpp"
#include "predict/preprocessing.hpp"
#include "value/json.hpp"

namespace broch::predict {

namespace {

using value::Value;

const Value::Array& kinds() { return plain_files().find("files")->array(); }

void add_endings(const Value& kind, std::vector<std::string>& endings) {
  for (const Value& ending : kind.find("endings")->array()) endings.push_back(ending.string());
}

const Value* kind_like(const Value& source) {
  const auto found = std::ranges::find_if(
      kinds(), [&](const Value& kind) { return uses(kind.find("like"), source); });
  return found == kinds().end() ? nullptr : &*found;
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

std::vector<std::string> endings_for(const Value& source) {
  std::vector<std::string> endings;
  if (const Value* kind = kind_like(source)) {
    add_endings(*kind, endings);
    return endings;
  }
  for (const Value& kind : kinds())
    if (const Value* use = kind.find("use"), *id = source.find("use");
        use && id && manifest::full_id(use->string(), "dataflow") == id->string())
      add_endings(kind, endings);
  if (!endings.empty()) return endings;
  for (const Value& kind : kinds())
    if (kind.find("begins")) add_endings(kind, endings);
  return endings;
}

std::string ending_of(std::string_view content, const Value& source) {
  const std::string beginning = base::hexadecimal(content.substr(0, 8));
  for (const Value& kind : kinds())
    if (const Value* begins = kind.find("begins"))
      for (const Value& one : begins->array())
        if (beginning.starts_with(one.string())) return kind.find("endings")->array()[0].string();
  const Value* const text = kind_like(source);
  return text ? text->find("endings")->array()[0].string() : "";
}

bool reads_files(const Value& source) { return kind_like(source) != nullptr; }

bool names_arrays(const Value& source) {
  return std::ranges::any_of(
      kinds(), [&](const Value& kind) { return uses(kind.find("arrays_of"), source); });
}

}  // namespace broch::predict
