// files.cpp: names with which nothing is written beside a folder.
#include "bundle/files.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace broch::bundle {
namespace {

constexpr size_t kLongest = 200;  // file systems have 255

}  // namespace

bool is_file_name(const std::string& name) {
  const auto is_odd = [](char c) { return c == '/' || uint8_t(c) < ' '; };
  return !name.empty() && name.size() <= kLongest && name != "." && name != ".." &&
         std::ranges::none_of(name, is_odd) && base::is_utf8(name);
}

}  // namespace broch::bundle
