// parameters.cpp: what a request says besides its inputs and outputs.
#include "parameters.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "json_fields.hpp"
#include "refusal.hpp"

namespace broch::serve {

using Json = nlohmann::json;

Parameters::Parameters(const Json& object, const std::string& where,
                       const std::vector<std::string>& known)
    : where_(where + " parameter "), given_(find(object, "parameters")) {
  if (!given_) return;
  if (!given_->is_object())
    refuse(kBadRequest, where + " 'parameters'", found(*given_), "an object");
  for (const auto& [key, value] : given_->items())
    if (std::ranges::find(known, key) == known.end())
      refuse(kBadRequest, where + " 'parameters'", base::quoted(key),
             known.empty() ? "none" : "only " + base::join(known, ", "));
}

const Json* Parameters::value_of(const char* key) const {
  return given_ ? find(*given_, key) : nullptr;
}

bool Parameters::flag(const char* key, bool otherwise) const {
  const Json* const value = value_of(key);
  if (!value) return otherwise;
  if (!value->is_boolean()) refuse(kBadRequest, where_ + key, found(*value), "true or false");
  return value->get<bool>();
}

std::optional<size_t> Parameters::size(const char* key) const {
  const Json* const value = value_of(key);
  if (!value) return std::nullopt;
  if (!value->is_number_unsigned())
    refuse(kBadRequest, where_ + key, found(*value), "a number of bytes");
  return value->get<size_t>();
}

}  // namespace broch::serve
