// parameters.hpp: the member "parameters" of an object in a request.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace broch::serve {

// Those that are understood; others would change the meaning of the request. All throw Refusal.
class Parameters {
 public:
  // object: outlives this. where: the object, for messages.
  Parameters(const nlohmann::json& object, const std::string& where,
             const std::vector<std::string>& known);

  bool flag(const char* key, bool otherwise) const;
  std::optional<size_t> size(const char* key) const;

 private:
  const nlohmann::json* value_of(const char* key) const;

  const std::string where_;
  const nlohmann::json* given_ = nullptr;
};

}  // namespace broch::serve
