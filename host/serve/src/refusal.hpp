// refusal.hpp: refuses a request.
#pragma once
#include <string>

#include "serve/infer.hpp"

namespace broch::serve {

inline constexpr int kBadRequest = 400, kNotFound = 404, kTooMany = 429, kFailed = 500,
                     kUnavailable = 503, kTooLate = 504;

// Throws a Refusal that is described like any other error of the program.
[[noreturn]] void refuse(int status, const std::string& where, const std::string& found,
                         const std::string& expected, const std::string& hint = "");

// Throws a Refusal (429): so many requests wait already.
[[noreturn]] void refuse_more(size_t waiting, size_t most);
// For requests that still wait when the server ends.
Refusal server_ends();

// The exception that is being handled, as a Refusal.
Refusal current_refusal();

}  // namespace broch::serve
