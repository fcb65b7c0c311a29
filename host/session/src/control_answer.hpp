// control_answer.hpp: one line of JSON back to who asked a training.
#pragma once
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "manifest/value.hpp"

namespace broch::session {

// {"ok": false, "error": …, "exit": …}
manifest::Value refusal(const base::Error& error);
manifest::Value refusal(base::Exit exit, const std::string& found, const std::string& expected,
                        const std::string& hint);
// {"ok": true} and the members of an object.
manifest::Value consent(const manifest::Value& members);

// With the version of the answers, and the end of the line.
std::string to_line(const manifest::Value& answer);
// All of it, unless who asked has gone.
void send_all(int fd, std::string_view text);

}  // namespace broch::session
