// refuse.cpp: makes bytes printable.
#include "archive/refuse.hpp"

namespace broch::archive {

std::string quoted(std::string_view bytes) {
  static constexpr size_t kLongest = 40;
  static const char* const digits = "0123456789abcdef";
  std::string text = "'";
  for (const char c : bytes.substr(0, kLongest)) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      text += c;
    else
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return text + (bytes.size() > kLongest ? "…'" : "'");
}

}  // namespace broch::archive
