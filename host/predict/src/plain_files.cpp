// plain_files.cpp: the table plain_files.json, and what it says of dataflows.
#include <algorithm>

#include "manifest/component.hpp"
#include "plain_file_table.hpp"
#include "predict/preprocessing.hpp"
#include "value/json.hpp"

namespace broch::predict {

using value::Value;

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

bool reads_files(const Value& source) {
  return std::ranges::any_of(plain_files().find("files")->array(),
                             [&](const Value& kind) { return uses(kind.find("like"), source); });
}

}  // namespace broch::predict
