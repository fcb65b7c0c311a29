// zip.cpp: the zip format as PKWARE's APPNOTE.TXT 6.3 describes it: a directory at the end of the
// file, and a header before each member.
#include "archive/zip.hpp"

#include <algorithm>

#include "archive/inflate.hpp"
#include "archive/refuse.hpp"

namespace broch::archive {
namespace {

constexpr uint64_t kMostMembers = 1000000;
constexpr uint64_t kEndSize = 22, kEntrySize = 46, kHeaderSize = 30;
constexpr uint64_t kPiece = uint64_t{1} << 20;
const char* const kWriteAgain = "the file is damaged; copy or write it again";

class Reader {
 public:
  explicit Reader(const Source& file) : file_(file) {}

  std::vector<ZipMember> read() {
    find_directory();
    std::vector<ZipMember> members;
    uint64_t at = directory_;
    for (uint64_t i = 0; i < count_; ++i) members.push_back(entry(at));
    return members;
  }

 private:
  template <class T>
  T number(uint64_t at) const {
    require(at, sizeof(T));
    T value;
    file_.read(at, &value, sizeof value);
    return value;
  }

  void require(uint64_t at, uint64_t size) const {
    if (at > file_.size() || size > file_.size() - at)
      refuse(here(at), "the end of the file", std::to_string(size) + " more bytes", kWriteAgain);
  }
  void require_signature(uint64_t at, uint32_t signature, const char* what) const {
    if (number<uint32_t>(at) != signature)
      refuse(here(at), archive::quoted(file_.read(at, 4)), what, kWriteAgain);
  }

  void find_directory() {
    if (file_.size() < kEndSize) not_zip();
    // A comment of up to 65535 bytes may follow the record.
    const uint64_t last = file_.size() - kEndSize;
    const uint64_t first = last > 65535 ? last - 65535 : 0;
    uint64_t end = last;
    while (number<uint32_t>(end) != 0x06054b50)
      if (end-- == first) not_zip();
    count_ = number<uint16_t>(end + 10);
    directory_ = number<uint32_t>(end + 16);
    // Numbers that may be too large for this record; 65,535 members fit it.
    const bool is_full = count_ == 0xffff || directory_ == 0xffffffff;
    if (is_full && end >= 20 && number<uint32_t>(end - 20) == 0x07064b50) {
      const uint64_t large = number<uint64_t>(end - 20 + 8);
      require(large, 56);
      require_signature(large, 0x06064b50, "a Zip64 directory");
      count_ = number<uint64_t>(large + 32);
      directory_ = number<uint64_t>(large + 48);
    }
    if (count_ > kMostMembers)
      refuse(here(end), std::to_string(count_) + " members",
             "at most " + std::to_string(kMostMembers), kWriteAgain);
  }

  // Moves `at` behind the entry of the directory.
  ZipMember entry(uint64_t& at) const {
    require(at, kEntrySize);
    require_signature(at, 0x02014b50, "an entry of the directory");
    const uint16_t flags = number<uint16_t>(at + 8), method = number<uint16_t>(at + 10);
    const uint64_t name_size = number<uint16_t>(at + 28), extra_size = number<uint16_t>(at + 30);
    const uint64_t comment_size = number<uint16_t>(at + 32);
    require(at + kEntrySize, name_size + extra_size + comment_size);
    ZipMember member;
    member.name = file_.read(at + kEntrySize, name_size);
    member.crc = number<uint32_t>(at + 16);
    uint64_t header = number<uint32_t>(at + 42);
    member.packed = number<uint32_t>(at + 20);
    member.size = number<uint32_t>(at + 24);
    read_large(at + kEntrySize + name_size, extra_size, {&member.size, &member.packed, &header});
    if (flags & 1)
      refuse(here(at), archive::quoted(member.name) + ", which is encrypted",
             "a member without a password", "write the file again without one");
    if (method != 0 && method != 8)
      refuse(here(at), archive::quoted(member.name) + " packed by method " + std::to_string(method),
             "0 (stored) or 8 (deflate)", "pack it again by one of them");
    member.deflated = method == 8;
    member.begin = content(header, member.packed);
    if (!member.deflated && member.size != member.packed)
      refuse(here(at), std::to_string(member.packed) + " stored bytes",
             std::to_string(member.size) + " as the size says", kWriteAgain);
    at += kEntrySize + name_size + extra_size + comment_size;
    return member;
  }

  // Values that do not fit 32 bits are in the extra field 1, in this order.
  void read_large(uint64_t at, uint64_t size, std::initializer_list<uint64_t*> values) const {
    const uint64_t end = at + size;
    while (end - at >= 4) {
      const uint16_t tag = number<uint16_t>(at), length = number<uint16_t>(at + 2);
      at += 4;
      if (length > end - at) return;
      if (tag == 1) {
        const uint64_t field_end = at + length;
        for (uint64_t* value : values)
          if (*value == 0xffffffff && field_end - at >= 8) {
            *value = number<uint64_t>(at);
            at += 8;
          }
        return;
      }
      at += length;
    }
  }

  // Where the bytes of a member begin.
  uint64_t content(uint64_t header, uint64_t size) const {
    require(header, kHeaderSize);
    require_signature(header, 0x04034b50, "the header of a member");
    const uint64_t skip = number<uint16_t>(header + 26) + uint64_t{number<uint16_t>(header + 28)};
    require(header + kHeaderSize, skip);
    require(header + kHeaderSize + skip, size);
    return header + kHeaderSize + skip;
  }

  std::string here(uint64_t at) const { return file_.name() + ": byte " + std::to_string(at); }
  [[noreturn]] void not_zip() const {
    refuse(file_.name(), "no directory of a zip file at its end", "a zip file",
           "this is another file, or it is cut short; copy it again, or name another one");
  }

  const Source& file_;
  uint64_t count_ = 0, directory_ = 0;
};

[[noreturn]] void refuse_checksum(const std::string& place) {
  refuse(place, "another checksum than that of the directory", "the same",
         "the file is damaged; copy or write it again");
}

}  // namespace

std::vector<ZipMember> zip_members(const Source& file) { return Reader(file).read(); }

std::string place_of(const Source& file, const ZipMember& member) {
  return file.name() + ": " + archive::quoted(member.name);
}

std::string unpack(const Source& file, const ZipMember& member) {
  const std::string place = place_of(file, member);
  std::string bytes =
      inflate(file.read(member.begin, member.packed), Wrapping::raw, member.size, place);
  if (bytes.size() != member.size)
    refuse(place, std::to_string(bytes.size()) + " unpacked bytes",
           std::to_string(member.size) + " as the directory says", kWriteAgain);
  if (crc32_of(bytes) != member.crc) refuse_checksum(place);
  return bytes;
}

void check_stored(const Source& file, const ZipMember& member) {
  if (member.crc == 0) return;
  std::string piece(std::min(member.size, kPiece), '\0');
  uint32_t crc = 0;
  for (uint64_t done = 0; done < member.size; done += piece.size()) {
    piece.resize(std::min(member.size - done, kPiece));
    file.read(member.begin + done, piece.data(), piece.size());
    crc = crc32_of(piece, crc);
  }
  if (crc != member.crc) refuse_checksum(place_of(file, member));
}

}  // namespace broch::archive
