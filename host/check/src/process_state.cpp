// process_state.cpp: reads /proc and asks the C library.
#include "process_state.hpp"

#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/fp_control.hpp"

extern char** environ;

namespace broch::check {
namespace {

size_t count_entries(const char* folder) {
  DIR* const open = opendir(folder);
  if (!open) return 0;
  size_t count = 0;
  while (readdir(open)) ++count;
  closedir(open);
  return count - 2;  // "." and ".."
}

void add_signals(ProcessState& state) {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int number = 1; number < NSIG; ++number) {
    const char* const known = sigabbrev_np(number);
    if (!known) continue;
    const std::string name = std::string("SIG") + known;
    state["blocking of " + name] = sigismember(&mask, number) ? "on" : "off";
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%p", reinterpret_cast<void*>(action.sa_sigaction));
    state["handler of " + name] = text;
  }
}

}  // namespace

size_t count_threads() { return count_entries("/proc/self/task"); }
size_t count_threads_beyond(size_t expected) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (count_threads() > expected && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return count_threads();
}

// Without the descriptor that is used to list them.
size_t count_files() { return count_entries("/proc/self/fd") - 1; }

ProcessState process_state() {
  ProcessState state;
  state["number of threads"] = std::to_string(count_threads());
  state["number of open files"] = std::to_string(count_files());
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    const size_t end = text.find('=');
    state["variable " + text.substr(0, end)] = end == std::string::npos ? "" : text.substr(end + 1);
  }
  char folder[PATH_MAX];
  state["working directory"] = getcwd(folder, sizeof folder) ? folder : "";
  state["locale"] = setlocale(LC_ALL, nullptr);
  add_signals(state);
  const base::FpControl control;
  state["floating-point control"] =
      std::to_string(control.simd()) + "/" + std::to_string(control.x87());
  return state;
}

std::string difference(const ProcessState& before, const ProcessState& after) {
  ProcessState all = before;
  all.insert(after.begin(), after.end());
  for (const auto& [name, value] : all) {
    const auto old = before.find(name), now = after.find(name);
    if (old == before.end()) return name + " is new: " + value;
    if (now == after.end()) return name + " is gone, it was " + value;
    if (old->second != now->second) return name + " is " + now->second + ", it was " + old->second;
  }
  return "";
}

}  // namespace broch::check
