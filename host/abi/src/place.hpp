// place.hpp: one line on stderr that says whose code this thread is running. Uses only calls that
// are safe in a signal handler.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "abi/instance.hpp"
#include "abi/thread.hpp"
#include "announced.hpp"

namespace broch::abi {

class Line {
 public:
  Line& operator<<(const char* text) {
    const size_t length = std::min(std::strlen(text), sizeof text_ - 1 - size_);
    std::memcpy(text_ + size_, text, length);
    size_ += length;
    return *this;
  }
  std::string text() const { return {text_, size_}; }
  void write() {
    text_[size_++] = '\n';
    const ssize_t ignored = ::write(STDERR_FILENO, text_, size_);
    static_cast<void>(ignored);
  }

 private:
  char text_[1024];
  size_t size_ = 0;
};

inline bool in_plugin(const ThreadState& thread) { return thread.loading || thread.top; }

inline void name_thread(Line& line, const Announced& thread) {
  line << " in " << thread.label.c_str() << " on its thread '" << thread.name.c_str() << "', file "
       << thread.file.c_str();
}

inline void name_call(Line& line, const Breadcrumb& crumb) {
  line << " in " << crumb.instance->label().c_str() << " during " << crumb.hook << ", file "
       << crumb.instance->spec().file.c_str();
}

// REQUIRES: in_plugin(thread).
inline void name_place(Line& line, const ThreadState& thread) {
  if (thread.loading)
    line << " while " << thread.loading << " " << thread.loading_file;
  else if (thread.top->announced)
    name_thread(line, static_cast<const Announced&>(*thread.top));
  else
    name_call(line, *thread.top);
}

}  // namespace broch::abi
