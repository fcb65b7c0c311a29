// frame.hpp: the frames that a program writes for the dataflow pipe; docs/data/pipe_protocol.md
// describes them.
#pragma once
#include <broch/cpp/dtype.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace piped {

// Where frames come from.
class Bytes {
 public:
  virtual ~Bytes() = default;
  // Fills memory from the start: at least 1 byte, at most size. 0: the bytes have ended.
  virtual size_t read(void* memory, size_t size) = 0;
};

enum class Kind : uint16_t { point = 1, end = 2, error = 3 };

// One tensor of a point.
struct Component {
  broch_dtype dtype;
  std::vector<int64_t> shape;
  std::string name;  // "" for none
  uint64_t bytes;    // of its elements
  // The name of the shared memory that holds the elements, which begin at offset; "": they follow
  // in the frame.
  std::string shared;
  uint64_t offset = 0;
};

struct Frame {
  Kind kind;
  std::string text;  // the cursor of a point, or the message of an error; may be empty
};

struct FrameHeader;

class FrameReader {
 public:
  // place: the name of the program in messages. A frame with more than max_bytes of elements is
  // refused before anything of it is allocated.
  FrameReader(Bytes& bytes, std::string place, uint64_t max_bytes)
      : bytes_(bytes), place_(std::move(place)), max_bytes_(max_bytes) {}

  // Gives the memory for the elements of a component, to be filled with those that follow in the
  // frame. nullptr: they are passed over. Ignored for elements in shared memory.
  using Place = std::function<void*(const Component&)>;

  // Reads a frame, and calls place for each of its components. Throws Ended if the bytes end, and
  // broch::Error if they are no frame.
  Frame next(const Place& place);

  // The number of bytes and of whole frames that were read.
  uint64_t offset() const { return offset_; }
  uint64_t frames() const { return frames_; }

 private:
  void read(void* memory, uint64_t size, const char* what);
  void pass_over(uint64_t size, const char* what);
  std::string read_text(uint64_t size, const char* what);
  FrameHeader read_header();
  Component read_component(uint64_t& elements);
  void require_size(uint64_t at, const Component& component) const;
  void read_elements(const Component& component, const Place& place);
  void read_shared(Component& component, uint32_t name_size);
  void take(uint64_t size, const char* what);
  [[noreturn]] void refuse(uint64_t at, const std::string& found, const std::string& expected,
                           const std::string& next) const;

  Bytes& bytes_;
  std::string place_;
  uint64_t max_bytes_;
  uint64_t offset_ = 0, frames_ = 0;
  uint64_t left_ = 0;  // of the body of the current frame
};

// The program closed its output before the end of the round; the caller knows why.
class Ended final : public broch::Error {
 public:
  explicit Ended(std::string message) : Error(BROCH_E_DATA_LOSS, std::move(message)) {}
};

}  // namespace piped
