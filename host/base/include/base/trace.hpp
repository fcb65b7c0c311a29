// trace.hpp: records spans of time on each thread, and writes them to a file for chrome://tracing
// and Perfetto.
//
// Like the log, a trace belongs to the whole process, and there is at most one at a time. When none
// is running, a Span costs one load and one branch.
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
  // How many events are kept. Later ones are only counted, and a warning at the end gives their
  // number.
  static constexpr size_t kMost = 1'000'000;

  // Creates the file, or empties it if it is an older trace. Throws Error: usage if that is
  // impossible, data if something else has this name.
  explicit Trace(const std::string& file);
  // Calls finish().
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Writes the file; later calls do nothing. A failure is only logged as a warning. Events that
  // threads add afterwards are dropped.
  void finish();

  // The running trace, or nullptr. It must outlive all threads that may call this.
  static Trace* running() { return running_.load(std::memory_order_relaxed); }

  // `begin` and `end` are values of ticks(), and the span belongs to the calling thread. `category`
  // says who did it, such as "callback 'saver'". [any]
  void span(std::string_view name, std::string_view category, uint64_t begin, uint64_t end);
  void counter(std::string_view name, std::string_view category, double value);
  // Names the calling thread in the file.
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
  size_t thread_number();  // of the calling thread; REQUIRES: mutex_ is held
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

// Throws Error (data) if a file with this name holds something else than a trace. Devices and pipes
// are left to whoever writes the file.
void require_replaceable_trace(const std::string& file);

// Records a span from its construction to its destruction. `name` and `category` must outlive it.
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
  const char *name_, *category_;  // these and begin_ are set only if there is a trace
  uint64_t begin_;
};

}  // namespace broch::base
