// token.hpp: the secret that clients must know.
#pragma once
#include <string>
#include <string_view>

#include "http/secret.hpp"

namespace broch::serve {

class Token {
 public:
  // None: nobody has to know one.
  Token() = default;
  // From the file, or from the environment variable BROCH_SERVE_TOKEN if file is "". Throws
  // base::Error if it cannot be read or is too short.
  explicit Token(const std::string& file);

  bool is_set() const { return secret_.is_set(); }
  // Whether the value of the header Authorization is "Bearer TOKEN". Takes the same time for any
  // wrong token.
  bool is_in(std::string_view authorization) const { return secret_.is_in(authorization); }

 private:
  http::Secret secret_;
};

}  // namespace broch::serve
