// json_skeleton.hpp: the JSON of a request without its elements.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace broch::serve {

// { "inputs": [ { "data": [ … ] } ] }
inline constexpr int kInputMember = 3;  // depth of the members of an input

// The tree, in which each "data" of the inputs is an empty array. Throws Refusal.
nlohmann::json parse_skeleton(std::string_view text);

}  // namespace broch::serve
