// terminal.hpp: progress on stderr. On a terminal, a bar with rate and remaining time; elsewhere,
// one line per interval.
#pragma once
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "session/ui.hpp"

namespace broch::cli {

// Whether stderr is a terminal that understands colors and moves of the cursor. That of Emacs, for
// example, has TERM=dumb.
bool stderr_takes_escapes();

class Terminal final : public session::Ui {
 public:
  Terminal();
  ~Terminal() override;

  void begin(const void* owner, const std::string& label, int64_t total) override;
  bool advance(const void* owner, int64_t done) override;
  void describe(const void* owner, const std::string& text) override;
  void end(const void* owner) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Bar {
    const void* owner;
    std::string label;
    int64_t total, done = 0;
    Clock::time_point start, drawn;
    std::string text;
    bool owes_line = false;
    int64_t first = -1;  // what was done at the first call of advance
    Clock::time_point first_at{};
  };

  // REQUIRES: mutex_ is locked.
  Bar* find(const void* owner);
  void draw(const Bar& bar, bool last);
  void print_line(Bar& bar, std::unique_lock<std::mutex>& lock);
  std::string line(const Bar& bar) const;
  static double rate(const Bar& bar);
  static std::string picture(const Bar& bar, size_t words);
  void erase();
  // Called before and after each log line, on the thread that logs.
  static void step_aside();
  static void come_back();

  bool redraws_;  // bars in their place; otherwise a line is printed from time to time
  std::chrono::duration<double> interval_;
  std::mutex mutex_;  // protects what follows; never held while logging, which locks it
  std::vector<Bar> bars_;
  bool shown_ = false;
};

}  // namespace broch::cli
