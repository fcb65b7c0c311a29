// npy_header.cpp: the header of a file: magic bytes, version, length, and a Python dict with three
// entries.
#include "archive/npy_header.hpp"

#include <charconv>
#include <optional>

#include "archive/refuse.hpp"

namespace broch::archive {

namespace {

using namespace std::string_literals;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kMaxHeader = kLongestNpyHeader - 12;
constexpr size_t kMaxRank = 32;

const char* const kSaveAgain = "write the file again with numpy.save(file, array)";

// Parses the dict. Messages contain the position in the file, in bytes.
class Header {
 public:
  Header(std::string_view text, uint64_t offset, const std::string& place, NpyFields fields)
      : text_(text), offset_(offset), place_(place), fields_(fields) {}

  void read() {
    take('{');
    while (!try_take('}')) {
      entry();
      if (!try_take(',') && peek() != '}') fail("',' or '}'");
    }
    if (skip_blanks(), at_ != text_.size()) fail("nothing after the dict");
    require(descr_.has_value(), "descr");
    require(fortran_order_.has_value(), "fortran_order");
    require(shape_.has_value(), "shape");
  }

  const std::string& descr() const { return *descr_; }
  bool fortran_order() const { return *fortran_order_; }
  const std::vector<int64_t>& shape() const { return *shape_; }

 private:
  void entry() {
    peek();
    const size_t begin = at_;
    const std::string key = string();
    take(':');
    if (key == "descr" && !descr_)
      descr_ = descr_value();
    else if (key == "fortran_order" && !fortran_order_)
      fortran_order_ = boolean();
    else if (key == "shape" && !shape_)
      shape_ = tuple();
    else
      refuse(place_ + ": byte " + std::to_string(offset_ + begin),
             "the key " + archive::quoted(key), "'descr', 'fortran_order' and 'shape', once each",
             kSaveAgain);
  }

  std::string descr_value() {
    if (peek() != '[') return string();
    if (fields_ == NpyFields::refuse)
      refuse(here(), "a structured array", "an array of numbers",
             "save one field: numpy.save(file, array['field'])");
    return list();
  }

  // Lists, tuples, strings and numbers inside each other, as text.
  std::string list() {
    const size_t begin = at_;
    int depth = 0;
    do {
      const char c = peek();
      if (c == '\0') fail("a list that ends");
      if (c == '\'' || c == '"') {
        string();
        continue;
      }
      depth += c == '[' || c == '(';
      depth -= c == ']' || c == ')';
      ++at_;
    } while (depth > 0);
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a string in quotes");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("a string that ends");
    const std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("True or False");
  }

  std::vector<int64_t> tuple() {
    std::vector<int64_t> shape;
    take('(');
    while (!try_take(')')) {
      if (shape.size() == kMaxRank) fail("at most 32 dimensions");
      shape.push_back(integer());
      if (!try_take(',') && peek() != ')') fail("',' or ')'");
    }
    return shape;
  }

  int64_t integer() {
    skip_blanks();
    int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a number from 0 to 9223372036854775807");
    at_ += size_t(end - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long integer of Python 2
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  // The next character that is not blank; 0 at the end.
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool try_take(char wanted) {
    const bool taken = at_ < text_.size() && peek() == wanted;
    at_ += taken;
    return taken;
  }
  void take(char wanted) {
    if (!try_take(wanted)) fail("'"s + wanted + "'");
  }

  std::string here() const { return place_ + ": byte " + std::to_string(offset_ + at_); }
  [[noreturn]] void fail(const std::string& expected) const {
    const bool ended = at_ >= text_.size();
    refuse(here(), ended ? "the end of the header" : archive::quoted(text_.substr(at_, 12)),
           expected, kSaveAgain);
  }
  void require(bool there, const char* key) const {
    if (!there) refuse(here(), "no key '"s + key + "' in the header", "one", kSaveAgain);
  }

  std::string_view text_;
  uint64_t offset_;
  const std::string& place_;
  NpyFields fields_;
  size_t at_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<int64_t>> shape_;
};

struct Extent {
  uint64_t offset, size;
};

// The position of the dict in the file, in bytes.
Extent header_extent(std::string_view bytes, const std::string& place) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    refuse(place + ": byte 0", archive::quoted(bytes.substr(0, kMagic.size())), "'\\x93NUMPY'",
           "this is not a .npy file; name one that numpy.save wrote");
  if (bytes.size() < 12)
    refuse(place + ": byte " + std::to_string(bytes.size()), "the end of the file", "a header",
           "the file is cut short; copy or write it again");
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    refuse(place + ": byte 6", "format " + std::to_string(major) + "." + std::to_string(minor),
           "format 1.0, 2.0 or 3.0", kSaveAgain);
  uint64_t size = 0;
  const int width = major == 1 ? 2 : 4;
  for (int i = width - 1; i >= 0; --i) size = size << 8 | static_cast<unsigned char>(bytes[8 + i]);
  const uint64_t offset = 8 + width;
  if (size > kMaxHeader)
    refuse(place + ": byte 8", "a header of " + std::to_string(size) + " bytes",
           "at most " + std::to_string(kMaxHeader), kSaveAgain);
  if (size > bytes.size() - offset)
    refuse(place + ": byte 8", "a header of " + std::to_string(size) + " bytes",
           "at most the " + std::to_string(bytes.size() - offset) + " that follow",
           "the file is cut short; copy or write it again");
  return {offset, size};
}

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, const std::string& place, NpyFields fields) {
  const Extent extent = header_extent(bytes, place);
  Header header(bytes.substr(extent.offset, extent.size), extent.offset, place, fields);
  header.read();
  return {header.descr(), header.fortran_order(), header.shape(), extent.offset + extent.size};
}

std::string npy_header(const std::string& descr, const std::vector<int64_t>& shape) {
  std::string dict = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i) dict += (i ? ", " : "") + std::to_string(shape[i]);
  dict += shape.size() == 1 ? ",), }" : "), }";
  constexpr size_t kLongest = 20;  // digits of a dimension
  if (!shape.empty()) dict.append(kLongest - std::to_string(shape[0]).size(), ' ');
  // Magic, version and length come before the dict; the data begins at a multiple of 64.
  constexpr size_t kStart = 10, kAlignment = 64;
  dict.append(kAlignment - 1 - (kStart + dict.size()) % kAlignment, ' ');
  dict += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(dict.size() & 255) + char(dict.size() >> 8) +
         dict;
}

}  // namespace broch::archive
