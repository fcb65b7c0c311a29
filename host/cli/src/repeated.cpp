// repeated.cpp: compares each value with the next one in their order.
#include "repeated.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::cli {

void refuse_repeated(const std::string& option, std::vector<std::string> values) {
  std::ranges::sort(values);
  const auto found = std::ranges::adjacent_find(values);
  if (found != values.end())
    base::fail(base::Exit::usage, option, base::quoted(*found) + " twice", "each name once",
               "leave one of them out");
}

}  // namespace broch::cli
