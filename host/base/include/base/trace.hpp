// trace.hpp: spans of time by thread, for a file that chrome://tracing and Perfetto read.
//
// One trace at a time belongs to the process, as the log does. Without one a span costs a load and
// a branch.
#pragma once
#include <atomic>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/ticks.hpp"

namespace broch::base {

class Trace {
 public:
  // Events that are kept; later ones are counted, and named in a warning at the end.
  static constexpr size_t kMost = 1'000'000;

  // Makes or empties the file. Throws Error (usage) where that cannot be.
  explicit Trace(const std::string& file);
  // Writes it, where finish has not.
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Writes it, once; where that fails it only warns. What threads add from here on is lost.
  void finish();

  // The running one, which lives as long as threads that may ask; nullptr: none.
  static Trace* running() { return running_.load(std::memory_order_relaxed); }

  // begin and end: of ticks(), on this thread. category: who, as "callback 'saver'". [any]
  void span(std::string_view name, std::string_view category, uint64_t begin, uint64_t end);
  void counter(std::string_view name, std::string_view category, double value);
  // What this thread is called in the file, from now on.
  void name_thread(std::string_view name);

 private:
  struct Event {
    std::string name, category;
    uint64_t begin, end;
    double value;
    size_t thread;
    bool is_counter;
  };
  void add(Event event);
  size_t thread_number();  // of this one; REQUIRES: mutex_
  void write();

  static inline std::atomic<Trace*> running_ = nullptr;

  const std::string path_;
  std::ofstream file_;
  const TickRate rate_;
  const uint64_t start_ = ticks();
  std::mutex mutex_;
  std::vector<Event> events_;
  uint64_t dropped_ = 0;
  bool finished_ = false;
  std::vector<std::string> thread_names_;
};

// From here to the end of the block. name and category live as long as it.
class Span {
 public:
  Span(const char* name, const char* category) : trace_(Trace::running()) {
    if (trace_) [[unlikely]]
      open(name, category);
  }
  ~Span() {
    if (trace_) [[unlikely]]
      trace_->span(name_, category_, begin_, ticks());
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  void open(const char* name, const char* category) {
    name_ = name;
    category_ = category;
    begin_ = ticks();
  }

  Trace* const trace_;
  const char *name_, *category_;  // these where there is a trace
  uint64_t begin_;
};

}  // namespace broch::base
