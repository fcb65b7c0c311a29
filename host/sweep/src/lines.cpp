// lines.cpp: reads and writes descriptors that do not block.
#include "lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace broch::sweep {

Lines::Lines(int from, int to) : from_(from), to_(to) {
  fcntl(from_, F_SETFL, O_NONBLOCK);
  fcntl(to_, F_SETFL, O_NONBLOCK);
}

Lines::~Lines() {
  close(from_);
  close_writing();
}

void Lines::close_writing() {
  if (to_ >= 0) close(to_);
  to_ = -1;
  unwritten_.clear();
}

void Lines::write(const std::string& line) {
  if (to_ < 0) return;
  unwritten_ += line + "\n";
  flush();
}

void Lines::flush() {
  while (to_ >= 0 && !unwritten_.empty()) {
    const ssize_t n = ::write(to_, unwritten_.data(), unwritten_.size());
    if (n >= 0)
      unwritten_.erase(0, size_t(n));
    else if (errno == EAGAIN)
      return;
    else if (errno != EINTR)
      close_writing();  // nobody reads any more
  }
}

std::vector<std::string> Lines::read() {
  std::vector<std::string> lines;
  char part[4096];
  while (!ended_ && !too_long_) {
    const ssize_t n = ::read(from_, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    ended_ = n == 0;
    for (ssize_t i = 0; i < n && !too_long_; ++i)
      if (part[i] == '\n')
        lines.push_back(std::exchange(partial_, ""));
      else if (partial_.size() < kMostLine)
        partial_ += part[i];
      else
        too_long_ = true;
  }
  return lines;
}

}  // namespace broch::sweep
