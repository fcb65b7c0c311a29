// json.cpp: JSON texts of files that somebody else wrote.
#include "models/exported/json.hpp"

#include <cmath>
#include <limits>

#include "arrays/diagnostic.hpp"

namespace exported {
namespace {

const char* const kExportAgain = "export the model again with torch.export.save";

std::string words_of(const nlohmann::json& value) {
  if (value.is_object())
    return value.empty() ? "{}"
                         : "an object with the member " + arrays::quoted(value.begin().key());
  if (value.is_array()) return "a list of " + std::to_string(value.size()) + " elements";
  return arrays::quoted(
      value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60));
}

}  // namespace

nlohmann::json parsed(std::string_view text, const std::string& place) {
  using nlohmann::json;
  const auto check = [&](int depth, json::parse_event_t, json&) {
    if (depth > kMostLevels)
      arrays::refuse(place, "JSON with more than " + std::to_string(kMostLevels) + " levels",
                     "fewer", kExportAgain);
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::exception& error) {
    arrays::refuse(place, std::string("no JSON (") + error.what() + ")", "a JSON text",
                   kExportAgain);
  }
}

void Json::refuse(const std::string& found, const std::string& expected) const {
  arrays::refuse(path_, found, expected, kExportAgain);
}

Json Json::operator[](const char* name) const {
  if (!value_->is_object()) refuse(words_of(*value_), "an object");
  const auto found = value_->find(name);
  if (found == value_->end()) refuse("no member '" + std::string(name) + "'", "one");
  return Json(*found, path_ + "." + name);
}

bool Json::has(const char* name) const {
  if (!value_->is_object()) return false;
  const auto found = value_->find(name);
  return found != value_->end() && !found->is_null();
}

const std::string& Json::tag() const {
  if (!value_->is_object() || value_->size() != 1)
    refuse(words_of(*value_), "an object with one member");
  return value_->begin().key();
}

void Json::require_object(size_t most) const {
  if (!value_->is_object()) refuse(words_of(*value_), "an object");
  if (value_->size() > most)
    refuse(std::to_string(value_->size()) + " members", "at most " + std::to_string(most));
}

const std::string& Json::string() const {
  if (!value_->is_string()) refuse(words_of(*value_), "a string");
  return value_->get_ref<const std::string&>();
}

int64_t Json::integer() const {
  if (!value_->is_number_integer()) refuse(words_of(*value_), "an integer");
  if (value_->is_number_unsigned() && value_->get<uint64_t>() > uint64_t(INT64_MAX))
    refuse(words_of(*value_), "an integer of 64 bits");
  return value_->get<int64_t>();
}

double Json::number() const {
  if (value_->is_number()) return value_->get<double>();
  if (*value_ == "Infinity") return std::numeric_limits<double>::infinity();
  if (*value_ == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (*value_ == "NaN") return std::numeric_limits<double>::quiet_NaN();
  refuse(words_of(*value_), "a number");
}

bool Json::boolean() const {
  if (!value_->is_boolean()) refuse(words_of(*value_), "true or false");
  return value_->get<bool>();
}

size_t Json::size(size_t most) const {
  if (!value_->is_array()) refuse(words_of(*value_), "a list");
  if (value_->size() > most)
    refuse(std::to_string(value_->size()) + " elements", "at most " + std::to_string(most));
  return value_->size();
}

}  // namespace exported
