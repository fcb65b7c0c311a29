// json.cpp: JSON texts of files that somebody else wrote.
#include "archive/json.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "archive/refuse.hpp"

namespace broch::archive {
namespace {

using nlohmann::json;

// nlohmann's copy and dump recurse, so a text may not be deeper.
constexpr int kMostLevels = 200;

const json& of(const void* value) { return *static_cast<const json*>(value); }

std::string words_of(const json& value) {
  if (value.is_object())
    return value.empty() ? "{}"
                         : "an object with the member " + archive::quoted(value.begin().key());
  if (value.is_array()) return "a list of " + std::to_string(value.size()) + " elements";
  return archive::quoted(value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60));
}

}  // namespace

JsonText::JsonText(std::string_view text, const std::string& place, std::string advice)
    : advice_(std::move(advice)) {
  const auto check = [&](int depth, json::parse_event_t, json&) {
    if (depth > kMostLevels)
      archive::refuse(place, "JSON with more than " + std::to_string(kMostLevels) + " levels",
                      "fewer", advice_);
    return true;
  };
  try {
    value_ = std::make_shared<const json>(json::parse(text.begin(), text.end(), check));
  } catch (const json::exception& error) {
    archive::refuse(place, std::string("no JSON (") + error.what() + ")", "a JSON text", advice_);
  }
}

Json JsonText::root(std::string path) const { return {value_.get(), std::move(path), advice_}; }

void Json::refuse(const std::string& found, const std::string& expected) const {
  archive::refuse(path_, found, expected, *advice_);
}

Json Json::operator[](const char* name) const {
  const json& value = of(value_);
  if (!value.is_object()) refuse(words_of(value), "an object");
  const auto found = value.find(name);
  if (found == value.end()) refuse("no member '" + std::string(name) + "'", "one");
  return {&*found, path_ + "." + name, *advice_};
}

bool Json::has(const char* name) const {
  if (!of(value_).is_object()) return false;
  const auto found = of(value_).find(name);
  return found != of(value_).end() && !found->is_null();
}

std::string Json::tag() const {
  if (!of(value_).is_object() || of(value_).size() != 1)
    refuse(words_of(of(value_)), "an object with one member");
  return of(value_).begin().key();
}

bool Json::is_null() const { return of(value_).is_null(); }
bool Json::is_integer() const { return of(value_).is_number_integer(); }
bool Json::is_list() const { return of(value_).is_array(); }
bool Json::is_string() const { return of(value_).is_string(); }

const std::string& Json::string() const {
  if (!is_string()) refuse(words_of(of(value_)), "a string");
  return of(value_).get_ref<const std::string&>();
}

int64_t Json::integer() const {
  const json& value = of(value_);
  if (!value.is_number_integer()) refuse(words_of(value), "an integer");
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX))
    refuse(words_of(value), "an integer of 64 bits");
  return value.get<int64_t>();
}

double Json::number() const {
  const json& value = of(value_);
  if (value.is_number()) return value.get<double>();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  refuse(words_of(value), "a number");
}

bool Json::boolean() const {
  if (!of(value_).is_boolean()) refuse(words_of(of(value_)), "true or false");
  return of(value_).get<bool>();
}

size_t Json::size(size_t most) const {
  if (!is_list()) refuse(words_of(of(value_)), "a list");
  if (of(value_).size() > most)
    refuse(std::to_string(of(value_).size()) + " elements", "at most " + std::to_string(most));
  return of(value_).size();
}

Json Json::at(size_t index) const {
  return {&of(value_)[index], path_ + "[" + std::to_string(index) + "]", *advice_};
}

std::vector<std::string> Json::names(size_t most) const {
  const json& value = of(value_);
  if (!value.is_object()) refuse(words_of(value), "an object");
  if (value.size() > most)
    refuse(std::to_string(value.size()) + " members", "at most " + std::to_string(most));
  std::vector<std::string> names;
  for (auto member = value.begin(); member != value.end(); ++member) names.push_back(member.key());
  return names;
}

}  // namespace broch::archive
