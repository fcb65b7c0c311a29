// secret.hpp: a text that a client must know.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace broch::http {

// TEXT of a header Authorization: "Bearer TEXT", of which the first word may be in small letters.
// Nothing for another scheme.
std::optional<std::string_view> bearer_text(std::string_view authorization);

// Only a hash of the text is kept. All comparisons take the same time for any wrong text.
class Secret {
 public:
  Secret() = default;  // not set: equal to nothing
  explicit Secret(std::string_view text);

  bool is_set() const { return !hash_.empty(); }
  bool equals(std::string_view text) const;
  // Whether this is the text of a header Authorization: "Bearer TEXT".
  bool is_in(std::string_view authorization) const;

 private:
  std::string hash_;
};

}  // namespace broch::http
