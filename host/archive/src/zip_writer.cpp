// zip_writer.cpp: PKWARE's APPNOTE 6.3.10: local headers, central directory, and the fields for
// sizes of 4 GiB and more (zip64).
#include "archive/zip_writer.hpp"

#include <algorithm>

namespace broch::archive {
namespace {

constexpr uint64_t kMost32 = 0xFFFFFFFF;
constexpr uint64_t kMostMembers = 0xFFFF;
constexpr uint64_t kPlain = 20, kZip64 = 45;  // version needed
constexpr uint64_t kFirstOfJanuary1980 = 0x21;

void put(std::string& to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i));
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

}  // namespace

void ZipWriter::append(std::string_view bytes) {
  write_(bytes);
  written_ += bytes.size();
}

void ZipWriter::begin(const std::string& name, uint64_t size, uint32_t crc) {
  const Member& member = members_.emplace_back(Member{name, crc, size, written_});
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
  append(header);
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
    append(header + extra);
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
  append(tail);
}

}  // namespace broch::archive
