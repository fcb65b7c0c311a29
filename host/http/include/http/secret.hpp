// secret.hpp: a text that a client must know.
#pragma once
#include <string>
#include <string_view>

namespace broch::http {

// Only a hash of the text is kept. All comparisons take the same time for any wrong text.
class Secret {
 public:
  Secret() = default;  // not set: equal to nothing
  explicit Secret(std::string_view text);

  bool is_set() const { return !hash_.empty(); }
  bool equals(std::string_view text) const;
  // Whether this is the value of a header Authorization: "Bearer TEXT".
  bool is_in(std::string_view authorization) const;

 private:
  std::string hash_;
};

}  // namespace broch::http
