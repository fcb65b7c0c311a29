// answer.cpp: answers as JSON objects and as lines.
#include "answer.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "value/json.hpp"

namespace broch::control {

using value::Value;

Value refusal(const base::Error& error) {
  Value answer{Value::Object{}};
  answer.set("ok", Value(false));
  answer.set("error", Value(std::string(error.what())));
  answer.set("exit", Value(int64_t(error.exit())));
  return answer;
}

Value refusal(base::Exit exit, const std::string& found, const std::string& expected,
              const std::string& hint) {
  return refusal(base::Error(exit, {"control", found, expected, hint}));
}

Value consent(const Value& members) {
  Value answer{Value::Object{}};
  answer.set("ok", Value(true));
  for (const value::Member& member : members.object()) answer.set(member.key, member.value);
  return answer;
}

std::string to_line(const Value& answer) {
  Value whole{Value::Object{}};
  whole.set("schema", Value(int64_t{1}));
  for (const value::Member& member : answer.object()) whole.set(member.key, member.value);
  return value::to_text(whole) + "\n";
}

void send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the client has disconnected
    text.remove_prefix(size_t(sent));
  }
}

}  // namespace broch::control
