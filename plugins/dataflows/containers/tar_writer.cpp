// tar_writer.cpp: ustar; a pax header goes before files that do not fit it.
#include "containers/tar_writer.hpp"

#include <cstdio>
#include <cstring>

#include "containers/written.hpp"

namespace containers {
namespace {

constexpr uint64_t kBlock = 512;
constexpr uint64_t kLargestSize = 077777777777;  // eleven octal digits
constexpr size_t kLongestName = 100;

// A pax record, whose length counts its own digits.
std::string pax_record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  size_t length = rest.size();
  while (length != rest.size() + std::to_string(length).size())
    length = rest.size() + std::to_string(length).size();
  return std::to_string(length) + rest;
}

void put_octal(char* field, int digits, uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
  std::memcpy(field, text, size_t(digits) + 1);
}

}  // namespace

TarWriter::TarWriter(const std::string& path) : path_(path), stream_(path, std::ios::binary) {
  check_written(stream_, path_);
}

void TarWriter::add(const std::string& name, std::string_view content) {
  std::string attributes;
  if (name.size() > kLongestName) attributes += pax_record("path", name);
  if (content.size() > kLargestSize)
    attributes += pax_record("size", std::to_string(content.size()));
  if (!attributes.empty()) {
    write_header("pax", attributes.size(), 'x');
    write_content(attributes);
  }
  write_header(name.substr(0, kLongestName), content.size() > kLargestSize ? 0 : content.size(),
               '0');
  write_content(content);
  check_written(stream_, path_);
}

void TarWriter::finish() {
  stream_ << std::string(2 * kBlock, '\0');
  stream_.close();
  check_written(stream_, path_);
}

void TarWriter::write_header(const std::string& name, uint64_t size, char type) {
  char block[kBlock] = {};
  std::memcpy(block, name.data(), name.size());
  put_octal(block + 100, 7, 0644);
  put_octal(block + 108, 7, 0);
  put_octal(block + 116, 7, 0);
  put_octal(block + 124, 11, size);
  put_octal(block + 136, 11, 0);  // no time, so that equal samples make equal files
  std::memset(block + 148, ' ', 8);
  block[156] = type;
  std::memcpy(block + 257, "ustar\00000", 8);
  uint64_t sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  put_octal(block + 148, 6, sum);
  stream_.write(block, kBlock);
}

void TarWriter::write_content(std::string_view content) {
  stream_ << content << std::string((kBlock - content.size() % kBlock) % kBlock, '\0');
}

}  // namespace containers
