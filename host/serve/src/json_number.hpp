// json_number.hpp: the text of a number in JSON, read.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "runtime/tensor.hpp"

namespace broch::serve {

// An integer if it is one. Throws Refusal if float64 cannot hold it.
nlohmann::json number_of(std::string_view text);

// Writes it as an element of dtype. False if that is not possible; too small becomes 0.
bool put_number(broch_dtype dtype, std::byte* to, std::string_view text);
bool put_flag(broch_dtype dtype, std::byte* to, bool value);

}  // namespace broch::serve
