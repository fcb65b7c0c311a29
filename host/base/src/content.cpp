// content.cpp: reads to the end, whatever the size was before.
#include "base/content.hpp"

#include <fstream>
#include <iterator>

namespace broch::base {

std::optional<std::string> content_of(const std::filesystem::path& file) {
  std::error_code error;  // such as a name that is too long
  if (std::filesystem::is_directory(file, error)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) return std::nullopt;
  return bytes;
}

}  // namespace broch::base
