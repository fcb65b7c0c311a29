// log.cpp: writes log lines, such as "14:03:07 info message", to stderr and to the log file. It
// uses fmt as headers only and with hidden symbols, so that it cannot collide with the copy in
// LibTorch.
#include "base/log.hpp"

#define SPDLOG_LEVEL_NAMES \
  { "trace", "debug", "info", "warning", "error", "misbehavior", "off" }
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/error.hpp"

namespace broch::base {
namespace {

// Sinks without a lock of their own, since State::mutex protects them.
using Console = spdlog::sinks::ansicolor_stderr_sink_st;
using File = spdlog::sinks::basic_file_sink_st;

struct State {
  std::mutex mutex;
  Level level = Level::info;
  Console console{spdlog::color_mode::never};
  std::unique_ptr<File> file;
  void (*before)() = nullptr;
  void (*after)() = nullptr;

  State() { console.set_pattern("%^%H:%M:%S %l %v%$"); }
};

// Never destroyed: threads and destructors may log until the very end.
State& state() {
  static State* const only = new State;
  return *only;
}

spdlog::level::level_enum spdlog_level(Level level) {
  return static_cast<spdlog::level::level_enum>(static_cast<int>(level) + spdlog::level::debug);
}

void to_console(State& state, const spdlog::details::log_msg& message) {
  if (state.before) state.before();
  state.console.log(message);
  if (state.after) state.after();
}

// A full disk ends the log file, but not the run.
void to_file(State& state, const spdlog::details::log_msg& message) {
  try {
    state.file->log(message);
    state.file->flush();
  } catch (const std::exception& failure) {
    const std::string text = state.file->filename() + ": the log file ends here: " + failure.what();
    state.file.reset();
    to_console(state, {"", spdlog::level::warn, text});
  }
}

}  // namespace

void log(Level level, std::string_view message) {
  State& to = state();
  const std::lock_guard lock(to.mutex);
  const spdlog::details::log_msg line("", spdlog_level(level), {message.data(), message.size()});
  if (level >= to.level) to_console(to, line);
  if (to.file && level >= std::min(to.level, Level::info)) to_file(to, line);
}

void note(std::string_view message) {
  State& to = state();
  const std::lock_guard lock(to.mutex);
  if (to.file) to_file(to, {"", spdlog::level::info, {message.data(), message.size()}});
}

void set_log_level(Level level) {
  const std::lock_guard lock(state().mutex);
  state().level = level;
}

Level log_level() {
  const std::lock_guard lock(state().mutex);
  return state().level;
}

void set_log_color(bool on) {
  const std::lock_guard lock(state().mutex);
  state().console.set_color_mode(on ? spdlog::color_mode::always : spdlog::color_mode::never);
}

void set_log_file(const std::string& path) {
  const std::lock_guard lock(state().mutex);
  state().file.reset();
  if (path.empty()) return;
  try {
    auto file = std::make_unique<File>(path);
    file->set_pattern("%H:%M:%S %l %v");
    state().file = std::move(file);
  } catch (const std::exception& failure) {
    throw Error(Exit::data, Diagnostic{path, std::string("cannot be opened: ") + failure.what(),
                                       "a log file that can be appended to",
                                       "check the folder's permissions and free space"});
  }
}

void set_log_interlude(void (*before)(), void (*after)()) {
  const std::lock_guard lock(state().mutex);
  state().before = before;
  state().after = after;
}

}  // namespace broch::base
