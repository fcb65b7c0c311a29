// http.cpp: a configuration for curl, which hides what is secret from lists of processes.
#include "sending/http.hpp"

#include <algorithm>
#include <broch/broch.hpp>
#include <charconv>

#include "sending/program.hpp"

namespace broch::sending {
namespace {

constexpr double kGrace = 2;  // seconds after which curl has not kept its own limit
constexpr size_t kMostQuoted = 300;
constexpr int kFirstFailure = 300;  // of the codes of HTTP; redirections are not followed

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
  }
  return quoted + "\"\n";
}

std::string configuration(const Request& request) {
  std::string text = "silent\nshow-error\nproto = \"=http,https\"\n";
  text += "max-time = " + std::to_string(request.seconds) + "\n";
  text += "url = " + quoted(request.url);
  for (const std::string& header : request.headers) text += "header = " + quoted(header);
  if (!request.user.empty()) text += "user = " + quoted(request.user);
  if (!request.body.empty())
    text += "header = \"Content-Type: application/json\"\ndata-binary = \"@-\"\n";
  return text + "write-out = \"%{stderr}%{http_code}\"\n";
}

// The beginning, in one line.
std::string excerpt(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.size() > kMostQuoted ? text.substr(0, kMostQuoted) + "…" : text;
}

}  // namespace

std::string ask(const Request& request) {
  const Ran ran = run_program({"curl", "--disable", "--config", "/dev/fd/3"}, request.body,
                              configuration(request), request.seconds + kGrace);
  if (ran.too_slow || ran.code != 0)
    throw Error(BROCH_E_UNAVAILABLE, ran.errors.empty()
                                         ? "curl ended with code " + std::to_string(ran.code)
                                         : excerpt(ran.errors));
  int status = 0;  // which is all that curl then writes there
  std::from_chars(ran.errors.data(), ran.errors.data() + ran.errors.size(), status);
  if (status < 200 || status >= kFirstFailure)
    throw Error(BROCH_E_UNAVAILABLE,
                "the server answered " + std::to_string(status) + ": " + excerpt(ran.output));
  return ran.output;
}

void require_curl() {
  if (!has_program("curl"))
    throw Error(BROCH_E_UNAVAILABLE,
                "found no program curl, expected it for HTTP; install it (apt-get install curl)");
}

}  // namespace broch::sending
