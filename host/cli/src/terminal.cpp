// terminal.cpp: draws progress bars, and removes them while the log writes a line.
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/log.hpp"
#include "base/plain_interval.hpp"
#include "base/utf8.hpp"

namespace broch::cli {
namespace {

constexpr double kTerminalSeconds = 0.5;
constexpr int kBarWidth = 20, kNarrowest = 4;

Terminal* shown_terminal = nullptr;

int columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string clock_text(double seconds) {
  char text[32];
  const long whole = std::lround(std::min(seconds, 359999.0));
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%02ld:%02ld", whole / 60, whole % 60);
  return text;
}

}  // namespace

bool stderr_takes_escapes() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) && !(kind && std::strcmp(kind, "dumb") == 0);
}

Terminal::Terminal()
    : redraws_(stderr_takes_escapes()),
      interval_(redraws_ ? kTerminalSeconds : base::plain_interval()) {
  shown_terminal = this;
  base::set_log_interlude(&step_aside, &come_back);
}

Terminal::~Terminal() {
  base::set_log_interlude(nullptr, nullptr);
  erase();
  shown_terminal = nullptr;
}

Terminal::Bar* Terminal::find(const void* owner) {
  const auto it = std::find_if(bars_.rbegin(), bars_.rend(),
                               [&](const Bar& bar) { return bar.owner == owner; });
  return it == bars_.rend() ? nullptr : &*it;
}

void Terminal::begin(const void* owner, const std::string& label, int64_t total) {
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  bars_.push_back({owner, label, total, 0, now, now, ""});
}

// Without a terminal, a printed line cannot be changed later. So it is printed only after the next
// describe, or at the next call.
bool Terminal::advance(const void* owner, int64_t done) {
  std::unique_lock lock(mutex_);
  Bar* bar = find(owner);
  if (!bar) return false;
  if (bar->owes_line) print_line(*bar, lock);
  bar->done = done;
  const Clock::time_point now = Clock::now();
  if (bar->first < 0) {
    bar->first = done;
    bar->first_at = now;
    if (done > 1) return false;  // some of it may be from before, so there is no rate yet
  }
  if (now - bar->drawn < interval_) return false;
  bar->drawn = now;
  bar->owes_line = !redraws_;
  if (redraws_) draw(*bar, false);
  return true;
}

void Terminal::describe(const void* owner, const std::string& text) {
  std::unique_lock lock(mutex_);
  Bar* bar = find(owner);
  if (!bar) return;
  bar->text = text;
  if (redraws_)
    draw(*bar, false);
  else if (bar->owes_line)
    print_line(*bar, lock);
}

void Terminal::end(const void* owner) {
  std::unique_lock lock(mutex_);
  Bar* bar = find(owner);
  if (!bar) return;
  if (bar->owes_line) print_line(*bar, lock);
  if (redraws_) draw(*bar, true);
  bars_.erase(bars_.begin() + (bar - bars_.data()));
}

void Terminal::print_line(Bar& bar, std::unique_lock<std::mutex>& lock) {
  bar.owes_line = false;
  const std::string text = line(bar);
  lock.unlock();
  base::info(text);
  lock.lock();
}

// Since the first call, because what was done by then may be from before, as in an epoch that is
// resumed in its middle.
double Terminal::rate(const Bar& bar) {
  const bool is_first = bar.done <= bar.first || bar.first < 0;
  const std::chrono::duration<double> time = Clock::now() - (is_first ? bar.start : bar.first_at);
  return time.count() > 0 ? double(is_first ? bar.done : bar.done - bar.first) / time.count() : 0;
}

std::string Terminal::line(const Bar& bar) const {
  const double speed = rate(bar);
  char part[96];
  if (bar.total > 0) {
    const double left = speed > 0 ? double(std::max<int64_t>(0, bar.total - bar.done)) / speed : 0;
    std::snprintf(part, sizeof part, "%lld/%lld %.4g it/s, %s left", (long long)bar.done,
                  (long long)bar.total, speed, clock_text(left).c_str());
  } else {
    std::snprintf(part, sizeof part, "%lld %.4g it/s", (long long)bar.done, speed);
  }
  const std::string text = part + (bar.text.empty() ? "" : " " + bar.text);
  if (!redraws_ || bar.total <= 0) return bar.label + " " + text;
  return bar.label + " " + picture(bar, base::characters_in(bar.label + text) + 2) + text;
}

// For example "[=====     ] ", as wide as fits beside the words; "" if there is too little room.
std::string Terminal::picture(const Bar& bar, size_t words) {
  const int room = columns() - 1 - int(words) - 2;
  if (room < kNarrowest) return "";
  const int width = std::min(room, kBarWidth);
  const int filled = int(width * std::min(bar.done, bar.total) / bar.total);
  std::string text = "[";
  text.append(size_t(filled), '=').append(size_t(width - filled), ' ').append("] ");
  return text;
}

void Terminal::draw(const Bar& bar, bool last) {
  std::string text = line(bar);
  text.resize(base::index_of_character(text, size_t(columns() - 1)));
  std::fprintf(stderr, "\r\033[K%s%s", text.c_str(), last ? "\n" : "");
  std::fflush(stderr);
  shown_ = !last;
}

void Terminal::erase() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

void Terminal::step_aside() {
  const std::lock_guard lock(shown_terminal->mutex_);
  shown_terminal->erase();
}
void Terminal::come_back() {
  const std::lock_guard lock(shown_terminal->mutex_);
  if (shown_terminal->redraws_ && !shown_terminal->bars_.empty())
    shown_terminal->draw(shown_terminal->bars_.back(), false);
}

}  // namespace broch::cli
