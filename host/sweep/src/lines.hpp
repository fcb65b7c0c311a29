// lines.hpp: lines of text to and from another process, without waiting for it.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace broch::sweep {

inline constexpr size_t kMostLine = size_t{1} << 20;  // bytes, without the newline

// Two descriptors, which it closes.
class Lines {
 public:
  Lines(int from, int to);
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // Queues a line, and writes what can be written now.
  void write(const std::string& line);
  void flush();
  bool is_written() const { return unwritten_.empty(); }
  // The lines that have arrived. `ended`: the other side has closed its end. `too_long`: a line was
  // longer than kMostLine; nothing after it is read.
  std::vector<std::string> read();
  bool ended() const { return ended_; }
  bool too_long() const { return too_long_; }
  // For poll.
  int from() const { return from_; }
  int to() const { return to_; }
  void close_writing();

 private:
  int from_, to_;
  std::string unwritten_, partial_;
  bool ended_ = false, too_long_ = false;
};

}  // namespace broch::sweep
