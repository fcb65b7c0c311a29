// plain_files.cpp: the table plain_files.json, and what it says of dataflows.
#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "manifest/component.hpp"
#include "plain_file_table.hpp"
#include "predict/preprocessing.hpp"
#include "value/json.hpp"

namespace broch::predict {

namespace {

using value::Value;

const Value::Array& kinds() { return plain_files().find("files")->array(); }

const Value* kind_like(const Value& source) {
  const auto found = std::ranges::find_if(
      kinds(), [&](const Value& kind) { return uses(kind.find("like"), source); });
  return found == kinds().end() ? nullptr : &*found;
}

std::vector<std::string> endings_of(const std::function<bool(const Value& kind)>& is_wanted) {
  std::vector<std::string> endings;
  for (const Value& kind : kinds())
    if (is_wanted(kind))
      for (const Value& ending : kind.find("endings")->array()) endings.push_back(ending.string());
  return endings;
}

// A point in the pattern stands for any digit.
bool begins_with(std::string_view digits, std::string_view pattern) {
  return pattern.size() <= digits.size() &&
         std::ranges::equal(pattern, digits.substr(0, pattern.size()), [](char wanted, char found) {
           return wanted == '.' || wanted == found;
         });
}

constexpr size_t kBeginning = 12;  // the longest one of the table, in bytes

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

bool suits(const Value& kind, const Preprocessing& preprocessing) {
  const Value* const list = kind.find("decoded_by");
  if (!list) return true;
  const std::vector<std::string> ids = transforms_of(preprocessing);
  return std::ranges::any_of(list->array(), [&](const Value& one) {
    return std::ranges::count(ids, manifest::full_id(one.string(), "transform")) > 0;
  });
}

std::vector<std::string> suitable_endings(const Preprocessing& preprocessing) {
  return endings_of([&](const Value& kind) { return suits(kind, preprocessing); });
}

std::vector<std::string> endings_for(const Preprocessing& preprocessing) {
  const Value& source = preprocessing.source;
  if (const Value* like = kind_like(source))
    return endings_of([&](const Value& kind) { return &kind == like; });
  std::vector<std::string> endings = endings_of(
      [&](const Value& kind) { return kind.find("decoded_by") && suits(kind, preprocessing); });
  if (!endings.empty()) return endings;
  endings = endings_of([&](const Value& kind) {
    const Value *use = kind.find("use"), *id = source.find("use");
    return use && id && manifest::full_id(use->string(), "dataflow") == id->string() &&
           suits(kind, preprocessing);
  });
  if (!endings.empty()) return endings;
  return endings_of(
      [&](const Value& kind) { return kind.find("begins") && suits(kind, preprocessing); });
}

std::string ending_of(std::string_view content, const Preprocessing& preprocessing) {
  const std::string beginning = base::hexadecimal(content.substr(0, kBeginning));
  for (const Value& kind : kinds())
    if (const Value* begins = kind.find("begins"); begins && suits(kind, preprocessing))
      for (const Value& one : begins->array())
        if (begins_with(beginning, one.string())) return kind.find("endings")->array()[0].string();
  const Value* const text = kind_like(preprocessing.source);
  return text ? text->find("endings")->array()[0].string() : "";
}

bool reads_files(const Value& source) { return kind_like(source) != nullptr; }

bool names_arrays(const Value& source) {
  return std::ranges::any_of(
      kinds(), [&](const Value& kind) { return uses(kind.find("arrays_of"), source); });
}

}  // namespace broch::predict
