// words.cpp: what is given twice is refused, since one of the two would have no effect.
#include "predict/words.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::predict {
namespace {

using base::Exit;

constexpr int64_t kMostSize = std::numeric_limits<int32_t>::max();

}  // namespace

void refuse_repeated(const std::string& option, std::vector<std::string> values) {
  std::ranges::sort(values);
  const auto found = std::ranges::adjacent_find(values);
  if (found != values.end())
    base::fail(Exit::usage, option, base::quoted(*found) + " twice", "each one once",
               "leave one of them out");
}

std::map<std::string, int64_t> sizes_of(const std::vector<std::string>& texts) {
  std::map<std::string, int64_t> sizes;
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    int64_t size = 0;
    const char* const end = text.data() + text.size();
    const auto read = equals == text.npos
                          ? std::from_chars_result{text.data(), std::errc::invalid_argument}
                          : std::from_chars(text.data() + equals + 1, end, size);
    if (read.ec != std::errc() || read.ptr != end || size < 1 || size > kMostSize)
      base::fail(Exit::usage, "--size", base::quoted(text),
                 "NAME=SIZE, 1 to " + std::to_string(kMostSize),
                 "such as --size T=64; broch plan prints the inputs");
    names.push_back(text.substr(0, equals));
    sizes[names.back()] = size;
  }
  refuse_repeated("--size", names);
  return sizes;
}

}  // namespace broch::predict
