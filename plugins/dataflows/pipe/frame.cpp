// frame.cpp: reads frames; every number in them is checked before it is used.
#include "pipe/frame.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "arrays/diagnostic.hpp"

namespace piped {

struct FrameHeader {
  char magic[4];
  uint16_t version, kind;
  uint32_t components, text_size;
  uint64_t body_size;
};
static_assert(sizeof(FrameHeader) == 24);

namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

constexpr char kMagic[4] = {'B', 'R', 'P', 'F'};
constexpr uint16_t kVersion = 1;
// The text of a point becomes part of a cursor of at most BROCH_CURSOR_SIZE_MAX bytes.
constexpr uint32_t kMostComponents = 1024, kMostText = 65000, kLongestName = 255;
// Of the body, what is not elements: texts and the headers of components.
constexpr uint64_t kMostOther = kMostText + kMostComponents * 1024;

struct ComponentHeader {
  uint8_t dtype, rank;
  uint16_t name_size;
  uint32_t shared_size;
  uint64_t bytes;
};
static_assert(sizeof(ComponentHeader) == 16);

const char* const kOnlyFrames =
    "the program must write frames only to its standard output; print to standard error";
const char* const kProtocol = "see docs/data/pipe_protocol.md";

std::string bytes_text(uint64_t count) { return std::to_string(count) + " bytes"; }

}  // namespace

void FrameReader::refuse(uint64_t at, const std::string& found, const std::string& expected,
                         const std::string& next) const {
  arrays::refuse(
      place_ + ": byte " + std::to_string(at) + " (frame " + std::to_string(frames_) + ")", found,
      expected, next);
}

void FrameReader::read(void* memory, uint64_t size, const char* what) {
  auto* to = static_cast<char*>(memory);
  for (uint64_t got = 0; got < size;) {
    const size_t n = bytes_.read(to + got, size_t(size - got));
    if (n == 0)
      throw Ended(place_ + ": byte " + std::to_string(offset_) + " (frame " +
                  std::to_string(frames_) + "): found the end of the output after " +
                  std::to_string(got) + " of the " + bytes_text(size) + " of " + what);
    got += n;
    offset_ += n;
  }
}

void FrameReader::pass_over(uint64_t size, const char* what) {
  char scratch[16384];
  for (; size > 0; size -= std::min<uint64_t>(size, sizeof scratch))
    read(scratch, std::min<uint64_t>(size, sizeof scratch), what);
}

void FrameReader::take(uint64_t size, const char* what) {
  if (size > left_)
    refuse(offset_, std::string(what) + " of " + bytes_text(size),
           "at most the " + bytes_text(left_) + " that are left of the frame", kProtocol);
  left_ -= size;
}

std::string FrameReader::read_text(uint64_t size, const char* what) {
  take(size, what);
  std::string text(size, '\0');
  read(text.data(), size, what);
  return text;
}

void FrameReader::read_shared(Component& component, uint32_t name_size) {
  const uint64_t at = offset_;
  take(sizeof component.offset, "an offset in shared memory");
  read(&component.offset, sizeof component.offset, "an offset in shared memory");
  component.shared = read_text(name_size, "the name of shared memory");
  const bool is_plain = std::all_of(component.shared.begin(), component.shared.end(), [](char c) {
    return c == '-' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
  if (!is_plain)
    refuse(at, "shared memory named " + arrays::quoted(component.shared),
           "letters, digits, '-' and '_'", kProtocol);
}

// The number of bytes must be that of the dtype and the shape.
void FrameReader::require_size(uint64_t at, const Component& component) const {
  uint64_t needed = broch::dl_type(component.dtype).bits / 8u;
  for (const int64_t size : component.shape)
    if (size < 0 || __builtin_mul_overflow(needed, uint64_t(size), &needed))
      refuse(at, "a dimension of size " + std::to_string(size),
             "sizes from 0 whose product fits into memory", kProtocol);
  if (needed != component.bytes)
    refuse(at, bytes_text(component.bytes) + " of elements",
           std::to_string(needed) + " for dtype and shape", kProtocol);
}

Component FrameReader::read_component(uint64_t& elements) {
  const uint64_t at = offset_;
  ComponentHeader header;
  take(sizeof header, "the header of a component");
  read(&header, sizeof header, "the header of a component");
  if (header.dtype < BROCH_FLOAT32 || header.dtype > BROCH_COMPLEX128)
    refuse(at, "dtype " + std::to_string(header.dtype), "a number from 1 (float32) to 12",
           kProtocol);
  if (header.rank > BROCH_RANK_MAX)
    refuse(at, std::to_string(header.rank) + " dimensions",
           "at most " + std::to_string(BROCH_RANK_MAX), "merge dimensions");
  if (header.name_size > kLongestName || header.shared_size > kLongestName)
    refuse(at, "a name of " + bytes_text(std::max<uint32_t>(header.name_size, header.shared_size)),
           "at most " + std::to_string(kLongestName), kProtocol);

  Component component;
  component.dtype = header.dtype;
  component.bytes = header.bytes;
  component.shape.resize(header.rank);
  take(header.rank * sizeof(int64_t), "a shape");
  read(component.shape.data(), header.rank * sizeof(int64_t), "a shape");
  component.name = read_text(header.name_size, "a name");
  if (component.name.find('\0') != std::string::npos)
    refuse(at, "the name " + arrays::quoted(component.name), "text without zero bytes", kProtocol);

  require_size(at, component);
  if (component.bytes > max_bytes_ - elements)
    refuse(at, "a point of " + std::to_string(elements) + " + " + bytes_text(component.bytes),
           "at most " + std::to_string(max_bytes_), "raise max_point_bytes if that is right");
  elements += component.bytes;
  if (header.shared_size > 0) read_shared(component, header.shared_size);
  return component;
}

FrameHeader FrameReader::read_header() {
  const uint64_t at = offset_;
  FrameHeader header;
  read(&header, sizeof header, "the header of a frame");
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    refuse(at, arrays::quoted({reinterpret_cast<const char*>(&header), sizeof header}),
           "a frame, which begins with 'BRPF'", kOnlyFrames);
  if (header.version != kVersion)
    refuse(at, "version " + std::to_string(header.version), "version 1",
           "use a program that was written for this version of Broch");
  const auto kind = Kind(header.kind);
  if (kind != Kind::point && kind != Kind::end && kind != Kind::error)
    refuse(at, "a frame of kind " + std::to_string(header.kind), "1 (point), 2 (end) or 3 (error)",
           kProtocol);
  const uint32_t most = kind == Kind::point ? kMostComponents : 0;
  if (header.components > most || (kind == Kind::point && header.components == 0))
    refuse(at, std::to_string(header.components) + " components",
           most ? "1 to " + std::to_string(most) : "none in such a frame", kProtocol);
  if (header.text_size > (kind == Kind::end ? 0 : kMostText))
    refuse(at, "a text of " + bytes_text(header.text_size),
           kind == Kind::end ? "none in such a frame" : "at most " + std::to_string(kMostText),
           kProtocol);
  if (header.body_size > kMostOther && header.body_size - kMostOther > max_bytes_)
    refuse(at, "a frame of " + bytes_text(header.body_size),
           "a point of at most " + std::to_string(max_bytes_),
           "raise max_point_bytes if that is right");
  return header;
}

void FrameReader::read_elements(const Component& component, const Place& place) {
  if (!component.shared.empty()) return void(place(component));
  take(component.bytes, "elements");
  if (void* memory = place(component))
    read(memory, component.bytes, "elements");
  else
    pass_over(component.bytes, "elements");
}

Frame FrameReader::next(const Place& place) {
  const FrameHeader header = read_header();
  const auto kind = Kind(header.kind);
  left_ = header.body_size;
  Frame frame{kind, read_text(header.text_size, kind == Kind::error ? "a message" : "a cursor")};
  uint64_t elements = 0;
  for (uint32_t i = 0; i < header.components; ++i) read_elements(read_component(elements), place);
  if (left_ != 0)
    refuse(offset_, bytes_text(left_) + " more in the frame", "the end of the frame", kProtocol);
  ++frames_;
  return frame;
}

}  // namespace piped
