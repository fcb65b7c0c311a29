// access.cpp: makes tokens, and looks for them in requests.
#include "access.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::ui {
namespace {

constexpr size_t kRandomBytes = 16, kLeast = 16, kMost = 256;

std::string random_token() {
  char bytes[kRandomBytes];
  if (getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes))
    base::fail(base::Exit::data, "the system", "no random bytes", "a token", "give one: --token");
  return base::hexadecimal({bytes, sizeof bytes});
}

bool is_allowed(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
}

}  // namespace

Access::Access(std::string token) : token_(token.empty() ? random_token() : std::move(token)) {
  if (token_.size() < kLeast || token_.size() > kMost || !std::ranges::all_of(token_, &is_allowed))
    base::fail(
        base::Exit::usage, "--token", "a token of " + std::to_string(token_.size()) + " bytes",
        std::to_string(kLeast) + " to " + std::to_string(kMost) + " letters, digits, - and _",
        "leave it out: a random one is made");
  secret_ = http::Secret(token_);
}

bool Access::permits(const http::Request& head, const std::string& in_address) const {
  if (!in_address.empty()) return secret_.equals(in_address);
  if (const auto text = http::bearer_text(head.header("authorization")))
    return secret_.equals(*text);
  const std::string_view cookies = head.header("cookie");
  for (size_t at = 0; at < cookies.size();) {
    const size_t end = std::min(cookies.find("; ", at), cookies.size());
    const std::string_view one = cookies.substr(at, end - at);
    if (one.starts_with(cookie_ + "=")) return secret_.equals(one.substr(cookie_.size() + 1));
    at = end + 2;
  }
  return false;
}

std::string Access::cookie() const {
  return cookie_ + "=" + token_ + "; Path=/; HttpOnly; SameSite=Strict";
}

}  // namespace broch::ui
