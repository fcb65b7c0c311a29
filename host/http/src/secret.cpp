// secret.cpp: compares hashes, all of whose bytes are looked at.
#include "http/secret.hpp"

#include "base/sha256.hpp"

namespace broch::http {
namespace {

constexpr std::string_view kScheme = "Bearer ";

std::string hash_of(std::string_view text) {
  base::Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.finish();
}

}  // namespace

Secret::Secret(std::string_view text) : hash_(hash_of(text)) {}

bool Secret::equals(std::string_view text) const {
  const std::string given = hash_of(text);
  unsigned char difference = 0;
  for (size_t i = 0; i < hash_.size(); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ hash_[i]);
  return is_set() && difference == 0;
}

bool Secret::is_in(std::string_view authorization) const {
  return authorization.starts_with(kScheme) && equals(authorization.substr(kScheme.size()));
}

}  // namespace broch::http
