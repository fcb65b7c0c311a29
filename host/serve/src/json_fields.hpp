// json_fields.hpp: members of the objects in a request. where: the object, for messages. All throw
// Refusal.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/tensor.hpp"

namespace broch::serve {

// For messages: "an array", "3".
std::string found(const nlohmann::json& value);

// nullptr: there is no such member.
const nlohmann::json* find(const nlohmann::json& object, const char* key);
const std::string& text_of(const nlohmann::json& object, const char* key, const std::string& where);
const nlohmann::json& objects_of(const nlohmann::json& object, const char* key,
                                 const std::string& where);
// The member "shape".
runtime::Shape shape_of(const nlohmann::json& input, const std::string& where);

}  // namespace broch::serve
