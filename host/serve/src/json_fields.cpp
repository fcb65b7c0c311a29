// json_fields.cpp: each member has one type, and says so if it finds another.
#include "json_fields.hpp"

#include "base/text.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

using Json = nlohmann::json;

const Json& required(const Json& object, const char* key, const std::string& where,
                     const char* expected) {
  const Json* const value = find(object, key);
  if (!value) refuse(kBadRequest, where, std::string("no '") + key + "'", expected);
  return *value;
}

[[noreturn]] void refuse_field(const char* key, const std::string& where, const Json& value,
                               const char* expected) {
  refuse(kBadRequest, where + " '" + key + "'", found(value), expected);
}

const Json& array_of(const Json& object, const char* key, const std::string& where) {
  const Json& value = required(object, key, where, "an array");
  if (!value.is_array()) refuse_field(key, where, value, "an array");
  return value;
}

}  // namespace

std::string found(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return base::quoted(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

const Json* find(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

const std::string& text_of(const Json& object, const char* key, const std::string& where) {
  const Json& value = required(object, key, where, "a string");
  if (!value.is_string()) refuse_field(key, where, value, "a string");
  return value.get_ref<const std::string&>();
}

const Json& objects_of(const Json& object, const char* key, const std::string& where) {
  const Json& array = array_of(object, key, where);
  for (const Json& one : array)
    if (!one.is_object()) refuse_field(key, where, one, "objects");
  return array;
}

runtime::Shape shape_of(const Json& input, const std::string& where) {
  const Json& sizes = array_of(input, "shape", where);
  if (sizes.size() > BROCH_RANK_MAX)
    refuse(kBadRequest, where + " 'shape'", std::to_string(sizes.size()) + " sizes",
           "at most " + std::to_string(BROCH_RANK_MAX));
  runtime::Shape shape;
  for (const Json& size : sizes) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() > uint64_t{INT64_MAX})
      refuse_field("shape", where, size, "sizes from 0 to 2^63 - 1");
    shape.dims[shape.rank++] = size.get<int64_t>();
  }
  return shape;
}

}  // namespace broch::serve
