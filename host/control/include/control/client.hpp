// client.hpp: asks a running process; see server.hpp.
#pragma once
#include <chrono>
#include <string>

#include "value/value.hpp"

namespace broch::control {

// Sends a request to the run in this folder and returns the members of the answer. Throws
// base::Error: usage if the request is not one line, data if no run is active there or if no answer
// comes in time, otherwise the error that the run sent.
value::Value ask_training(const std::string& log_dir, const std::string& line,
                          std::chrono::seconds patience);

}  // namespace broch::control
