// terminal.cpp: drawing bars and getting out of the way of log lines.
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/log.hpp"

namespace broch::cli {
namespace {

constexpr double kTerminalSeconds = 0.5;
constexpr double kPlainSeconds = 180;
constexpr int kBarWidth = 20;

Terminal* shown_terminal = nullptr;

// Without a terminal: BROCH_PROGRESS_REFRESH, or as tensorpack chose for batch systems.
double plain_interval() {
  if (const char* seconds = std::getenv("BROCH_PROGRESS_REFRESH")) return std::atof(seconds);
  if (const char* nodes = std::getenv("SLURM_JOB_NUM_NODES")) return std::atoi(nodes) > 1 ? 60 : 15;
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) return 60;
  return kPlainSeconds;
}

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

Terminal::Terminal()
    : is_terminal_(isatty(STDERR_FILENO)),
      interval_(is_terminal_ ? kTerminalSeconds : plain_interval()) {
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

bool Terminal::advance(const void* owner, int64_t done) {
  std::unique_lock lock(mutex_);
  Bar* bar = find(owner);
  if (!bar) return false;
  bar->done = done;
  const Clock::time_point now = Clock::now();
  if (now - bar->drawn < interval_) return false;
  bar->drawn = now;
  if (is_terminal_) {
    draw(*bar, false);
    return true;
  }
  const std::string text = line(*bar);
  lock.unlock();
  base::info(text);
  return true;
}

void Terminal::describe(const void* owner, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (Bar* bar = find(owner)) {
    bar->text = text;
    if (is_terminal_) draw(*bar, false);
  }
}

void Terminal::end(const void* owner) {
  const std::lock_guard lock(mutex_);
  Bar* bar = find(owner);
  if (!bar) return;
  if (is_terminal_) draw(*bar, true);
  bars_.erase(bars_.begin() + (bar - bars_.data()));
}

std::string Terminal::line(const Bar& bar) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - bar.start).count();
  const double rate = seconds > 0 ? double(bar.done) / seconds : 0;
  std::string text = bar.label + " ";
  char part[96];
  if (bar.total > 0) {
    const int filled = int(kBarWidth * std::min(bar.done, bar.total) / bar.total);
    if (is_terminal_)
      text.append("[")
          .append(size_t(filled), '=')
          .append(size_t(kBarWidth - filled), ' ')
          .append("] ");
    const double left = rate > 0 ? double(bar.total - bar.done) / rate : 0;
    std::snprintf(part, sizeof part, "%lld/%lld %.4g it/s, %s left", (long long)bar.done,
                  (long long)bar.total, rate, clock_text(left).c_str());
  } else {
    std::snprintf(part, sizeof part, "%lld %.4g it/s", (long long)bar.done, rate);
  }
  text += part;
  return bar.text.empty() ? text : text + " " + bar.text;
}

void Terminal::draw(const Bar& bar, bool last) {
  std::string text = line(bar);
  const size_t width = size_t(columns() - 1);
  if (text.size() > width) text.resize(width);
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
  if (shown_terminal->is_terminal_ && !shown_terminal->bars_.empty())
    shown_terminal->draw(shown_terminal->bars_.back(), false);
}

}  // namespace broch::cli
