// target.hpp: the path and the query of a request.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace broch::ui {

struct Target {
  std::vector<std::string> path;             // decoded: {"api", "runs"}
  std::map<std::string, std::string> query;  // decoded

  // "" if there is none.
  std::string text(const std::string& name) const;
  // The given value if there is none. Throws Refusal (400) if it is no whole number of this range.
  int64_t number(const std::string& name, int64_t missing, int64_t least, int64_t most) const;
};

// target: as it was sent, such as "/api/runs?since=3". Throws Refusal (400) if an escape is
// malformed, if a name stands twice in the query, or if the text is no UTF-8.
Target parse_target(std::string_view target);

}  // namespace broch::ui
