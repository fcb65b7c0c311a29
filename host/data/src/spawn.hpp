// spawn.hpp: another program, started without a shell.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace broch::data {

// Starts words[0], which is searched in PATH, with the other words as arguments and /dev/null as
// input, and waits for it. meanwhile is called a few times per second. Returns its exit code, 128 +
// n after signal n; no value: there is no such program. Throws base::Error if it cannot be started.
std::optional<int> run_program(std::vector<std::string> words,
                               const std::function<void()>& meanwhile);

}  // namespace broch::data
