// tar.cpp: blocks of 512 bytes. Sources: POSIX.1-2017, "pax"; "Basic Tar Format" in the manual of
// GNU tar.
#include "containers/tar.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "arrays/diagnostic.hpp"

namespace containers {
namespace {

using arrays::quoted;
using arrays::refuse;

constexpr uint64_t kBlock = 512;
constexpr uint64_t kLongestName = 1 << 20;
const char* const kDamaged = "the archive is damaged or is not a tar file; copy or write it again";

class Tar {
 public:
  Tar(const Source& source, const std::function<void(TarFile)>& found)
      : source_(source), found_(found) {}

  void read() {
    while (next_header()) {
      const char type = block_[156];
      // Links and devices have no content, whatever their size says.
      const bool is_link_or_device = type >= '1' && type <= '6';
      const uint64_t size = is_link_or_device ? 0 : content_size();
      if (size > source_.size() - at_)
        refuse(place(header_), "an entry of " + std::to_string(size) + " bytes",
               "at most the " + std::to_string(source_.size() - at_) + " that follow",
               "the file is cut short; copy or write it again");
      switch (type) {
        case 'L':
          long_name_ = text(size);
          break;
        case 'x':
          take_pax(text(size), name_, size_);
          break;
        case 'g': {
          std::optional<std::string> ignored_name;
          std::optional<uint64_t> ignored_size;
          take_pax(text(size), ignored_name, ignored_size);
          break;
        }
        case 'S':
          refuse_sparse();
        case '\0':
        case '0':
        case '7':
          found_({name(), header_, at_, size});
          [[fallthrough]];
        default:
          if (type != 'K') forget();
      }
      skip(size);
    }
    require_end();
  }

 private:
  // False: the closing block of zeros.
  bool next_header() {
    header_ = at_;
    if (source_.size() - at_ < kBlock)
      refuse(place(at_), "the end of the file", "a header or the closing block of zeros",
             "the file is cut short; copy or write it again");
    source_.read(at_, block_.data(), kBlock);
    at_ += kBlock;
    if (block_.find_first_not_of('\0') == block_.npos) return false;
    check_sum();
    return true;
  }

  // Behind the end, more zeros may follow. Archives that were joined as files are have an end in
  // their middle.
  void require_end() {
    for (; source_.size() - at_ >= kBlock; at_ += kBlock) {
      source_.read(at_, block_.data(), kBlock);
      if (block_.find_first_not_of('\0') == block_.npos) continue;
      if (!sum().is_right) return;
      refuse(place(at_), "another archive behind the end of the first", "one archive in a file",
             "name each archive by itself, or join them with tar --concatenate");
    }
  }

  struct Sum {
    uint64_t of_bytes;
    bool is_right;
  };

  // The sum of all bytes of the header, with blanks in place of the sum itself. Some old programs
  // added signed bytes.
  Sum sum() const {
    uint64_t sum = 0;
    int64_t signed_sum = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      const char byte = i >= 148 && i < 156 ? ' ' : block_[i];
      sum += static_cast<unsigned char>(byte);
      signed_sum += static_cast<signed char>(byte);
    }
    const std::optional<uint64_t> stored = number(148, 8);
    return {sum, stored && (*stored == sum || int64_t(*stored) == signed_sum)};
  }

  void check_sum() const {
    const auto [expected, is_right] = sum();
    if (is_right) return;
    const std::string compressed = header_ == 0 ? compression_of(block_) : "";
    if (!compressed.empty())
      refuse(place(0), "a compressed file", "an uncompressed tar file",
             "decompress it, since a compressed one cannot be read by index: " + compressed + " " +
                 source_.name());
    refuse(place(header_), "a header with the checksum " + quoted(field(148, 8)),
           std::to_string(expected), kDamaged);
  }

  // A field up to its first NUL.
  std::string_view field(size_t offset, size_t size) const {
    const std::string_view bytes = std::string_view(block_).substr(offset, size);
    return bytes.substr(0, bytes.find('\0'));
  }

  // Octal digits between blanks; or, if the first bit is set, a big-endian number.
  std::optional<uint64_t> number(size_t offset, size_t size) const {
    uint64_t value = 0;
    if (static_cast<unsigned char>(block_[offset]) & 0x80) {
      for (size_t i = 0; i < size; ++i) {
        const unsigned char byte = static_cast<unsigned char>(block_[offset + i]);
        if (value >> 56) return std::nullopt;
        value = value << 8 | (i == 0 ? byte & 0x7f : byte);
      }
      return value;
    }
    std::string_view digits = field(offset, size);
    while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
    while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, 8);
    if (!digits.empty() && (error != std::errc() || stop != end)) return std::nullopt;
    return value;
  }

  uint64_t content_size() {
    const char type = block_[156];
    if (size_ && type != 'x' && type != 'g' && type != 'L' && type != 'K') return *size_;
    const std::optional<uint64_t> size = number(124, 12);
    if (!size)
      refuse(place(header_ + 124), "the size " + quoted(field(124, 12)), "octal digits", kDamaged);
    return *size;
  }

  std::string name() const {
    if (name_) return *name_;
    if (long_name_) return *long_name_;
    const std::string short_name(field(0, 100));
    const bool is_ustar = std::string_view(block_).substr(257, 6) == std::string_view("ustar\0", 6);
    const std::string_view prefix = is_ustar ? field(345, 155) : "";
    return prefix.empty() ? short_name : std::string(prefix) + "/" + short_name;
  }

  // The content of an entry that describes the next one, up to the first NUL of a long name.
  std::string text(uint64_t size) const {
    if (size > kLongestName)
      refuse(place(header_), "a name or a list of attributes of " + std::to_string(size) + " bytes",
             "at most 1 MiB", kDamaged);
    std::string bytes = source_.read(at_, size);
    if (block_[156] == 'L') bytes.resize(std::min(bytes.find('\0'), bytes.size()));
    return bytes;
  }

  // Records "LENGTH key=value\n"; LENGTH counts all bytes of the record.
  void take_pax(const std::string& records, std::optional<std::string>& name,
                std::optional<uint64_t>& size) {
    std::string_view left = records;
    while (!left.empty()) {
      uint64_t length = 0;
      const auto [digits, error] = std::from_chars(left.data(), left.data() + left.size(), length);
      const size_t begin = size_t(digits - left.data()) + 1;
      if (error != std::errc() || length > left.size() || length < begin + 2 ||
          left[begin - 1] != ' ' || left[length - 1] != '\n')
        refuse_pax(left);
      const std::string_view record = left.substr(begin, length - begin - 1);
      const size_t equals = record.find('=');
      if (equals == record.npos) refuse_pax(left);
      const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
      if (key.substr(0, 10) == "GNU.sparse") refuse_sparse();
      if (key == "path") name = std::string(value);
      if (key == "size") {
        uint64_t bytes = 0;
        const char* const end = value.data() + value.size();
        const auto [stop, wrong] = std::from_chars(value.data(), end, bytes);
        if (wrong != std::errc() || stop != end) refuse_pax(left);
        size = bytes;
      }
      left.remove_prefix(length);
    }
  }
  [[noreturn]] void refuse_pax(std::string_view found) const {
    refuse(place(at_), "the attribute " + quoted(found), "'LENGTH key=value' and a line end",
           kDamaged);
  }
  [[noreturn]] void refuse_sparse() const {
    refuse(place(header_), "a sparse file", "a file that is stored in whole",
           "write the archive again without --sparse");
  }

  // What was said about one entry does not hold for the next one.
  void forget() {
    name_.reset();
    long_name_.reset();
    size_.reset();
  }

  // Content is padded to whole blocks. The padding after the last entry may be missing: then the
  // next header is, too.
  void skip(uint64_t size) {
    const uint64_t padded = (size + kBlock - 1) / kBlock * kBlock;
    at_ += std::min(padded, source_.size() - at_);
  }

  std::string place(uint64_t offset) const {
    return source_.name() + ": byte " + std::to_string(offset);
  }

  const Source& source_;
  const std::function<void(TarFile)>& found_;
  std::string block_ = std::string(kBlock, '\0');
  uint64_t header_ = 0, at_ = 0;
  std::optional<std::string> name_, long_name_;
  std::optional<uint64_t> size_;
};

}  // namespace

std::string compression_of(std::string_view first_bytes) {
  using namespace std::string_view_literals;
  struct Known {
    std::string_view magic;
    const char* command;
  };
  const std::array<Known, 4> known = {{{"\x1f\x8b"sv, "gunzip"},
                                       {"\x28\xb5\x2f\xfd"sv, "unzstd"},
                                       {"BZh"sv, "bunzip2"},
                                       {"\xfd"
                                        "7zXZ"sv,
                                        "unxz"}}};
  for (const Known& one : known)
    if (first_bytes.substr(0, one.magic.size()) == one.magic) return one.command;
  return "";
}

void read_tar(const Source& source, const std::function<void(TarFile)>& found) {
  Tar(source, found).read();
}

}  // namespace containers
