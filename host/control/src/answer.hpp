// answer.hpp: the answer to a control request, as one line of JSON.
#pragma once
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "value/value.hpp"

namespace broch::control {

// {"ok": false, "error": …, "exit": …}
value::Value refusal(const base::Error& error);
value::Value refusal(base::Exit exit, const std::string& found, const std::string& expected,
                     const std::string& hint);
// {"ok": true} with additional members. members: an object.
value::Value consent(const value::Value& members);

// Adds the version of the format and the newline.
std::string to_line(const value::Value& answer);
// Sends all of the text, unless the client has disconnected.
void send_all(int fd, std::string_view text);

}  // namespace broch::control
