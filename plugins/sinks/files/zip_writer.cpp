// zip_writer.cpp: PKWARE's APPNOTE 6.3.10: local headers, central directory, and the fields for
// sizes of 4 GiB and more (zip64).
#include "zip_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <broch/broch.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace files {
namespace {

constexpr uint64_t kMost32 = 0xFFFFFFFF;
constexpr uint64_t kMostMembers = 0xFFFF;
constexpr uint64_t kPlain = 20, kZip64 = 45;  // version needed
constexpr uint64_t kFirstOfJanuary1980 = 0x21;
constexpr size_t kBlock = 1 << 20;

void put(std::string& to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i));
}

[[noreturn]] void fail(const std::string& path, const char* action) {
  throw broch::Error(BROCH_E_DATA_LOSS, path + ": " + action + ": " + std::strerror(errno));
}

// What both headers of a member have: version needed, flags (the name is UTF-8), method (stored),
// time and date, always the same, so that equal data give equal bytes; checksum; sizes.
void put_facts(std::string& to, uint32_t crc, uint64_t size, bool large) {
  put(to, large ? kZip64 : kPlain, 2);
  put(to, 0x0800, 2);
  put(to, 0, 2);
  put(to, 0, 2);
  put(to, kFirstOfJanuary1980, 2);
  put(to, crc, 4);
  put(to, large ? kMost32 : size, 4);
  put(to, large ? kMost32 : size, 4);
}

uint32_t crc_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string block(kBlock, '\0');
  uLong crc = 0;
  while (stream.read(block.data(), std::streamsize(block.size())), stream.gcount() > 0)
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(block.data()), size_t(stream.gcount()));
  if (stream.bad()) fail(file, "cannot be read");
  return uint32_t(crc);
}

}  // namespace

ZipWriter::ZipWriter(std::string path) : path_(std::move(path)) {
  stream_.open(path_, std::ios::binary | std::ios::trunc);
  if (!stream_) fail(path_, "cannot be written");
}

void ZipWriter::write(const std::string& bytes) {
  if (!stream_.write(bytes.data(), std::streamsize(bytes.size())))
    fail(path_, "cannot be written to the end");
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, const std::string& file) {
  const Member member{name, crc_of(file), std::filesystem::file_size(file), written_};
  const bool large = member.size >= kMost32;
  std::string header = "PK\x03\x04";
  put_facts(header, member.crc, member.size, large);
  put(header, name.size(), 2);
  put(header, large ? 20 : 0, 2);
  header += name;
  if (large) {
    put(header, 1, 2);
    put(header, 16, 2);
    put(header, member.size, 8);
    put(header, member.size, 8);
  }
  write(header);
  std::ifstream stream(file, std::ios::binary);
  std::string block(kBlock, '\0');
  while (stream.read(block.data(), std::streamsize(kBlock)), stream.gcount() > 0)
    write(block.substr(0, size_t(stream.gcount())));
  members_.push_back(member);
}

void ZipWriter::finish() {
  const uint64_t start = written_;
  for (const Member& member : members_) {
    const bool large = member.size >= kMost32, far = member.offset >= kMost32;
    std::string extra;
    if (large) put(extra, member.size, 8), put(extra, member.size, 8);
    if (far) put(extra, member.offset, 8);
    std::string header = "PK\x01\x02";
    put(header, kZip64, 2);
    put_facts(header, member.crc, member.size, large);
    if (far && !large) header[6] = char(kZip64);
    put(header, member.name.size(), 2);
    put(header, extra.empty() ? 0 : extra.size() + 4, 2);
    header.append(2 + 2 + 2 + 4, '\0');  // comment, disk, attributes
    put(header, far ? kMost32 : member.offset, 4);
    header += member.name;
    if (!extra.empty()) put(header, 1, 2), put(header, extra.size(), 2);
    write(header + extra);
  }
  const uint64_t end = written_, count = members_.size();
  const bool large = end >= kMost32 || count >= kMostMembers;
  std::string tail;
  if (large) {
    tail += "PK\x06\x06";
    put(tail, 44, 8);
    put(tail, kZip64, 2), put(tail, kZip64, 2);
    put(tail, 0, 8);  // disks
    put(tail, count, 8), put(tail, count, 8);
    put(tail, end - start, 8), put(tail, start, 8);
    tail += "PK\x06\x07";
    put(tail, 0, 4), put(tail, end, 8), put(tail, 1, 4);
  }
  tail += "PK\x05\x06";
  put(tail, 0, 4);  // disks
  put(tail, std::min(count, kMostMembers), 2), put(tail, std::min(count, kMostMembers), 2);
  put(tail, std::min(end - start, kMost32), 4), put(tail, std::min(start, kMost32), 4);
  put(tail, 0, 2);  // comment
  write(tail);
  stream_.close();
  if (!stream_) fail(path_, "cannot be written to the end");
}

}  // namespace files
