// secret.cpp: compares hashes, all of whose bytes are looked at.
#include "http/secret.hpp"

#include <algorithm>
#include <cctype>

#include "base/sha256.hpp"

namespace broch::http {
namespace {

constexpr std::string_view kScheme = "bearer ";

std::string hash_of(std::string_view text) {
  base::Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.finish();
}

}  // namespace

std::optional<std::string_view> bearer_text(std::string_view authorization) {
  const std::string_view scheme = authorization.substr(0, kScheme.size());
  const auto same = [](unsigned char a, char b) { return std::tolower(a) == b; };
  if (!std::ranges::equal(scheme, kScheme, same)) return std::nullopt;
  return authorization.substr(kScheme.size());
}

Secret::Secret(std::string_view text) : hash_(hash_of(text)) {}

bool Secret::equals(std::string_view text) const {
  const std::string given = hash_of(text);
  unsigned char difference = 0;
  for (size_t i = 0; i < hash_.size(); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ hash_[i]);
  return is_set() && difference == 0;
}

bool Secret::is_in(std::string_view authorization) const {
  const std::optional<std::string_view> text = bearer_text(authorization);
  return text && equals(*text);
}

}  // namespace broch::http
