// environment.cpp: compares and restores the working directory, the locale and signals.
#include "abi/environment.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <tuple>
#include <vector>

#include "abi/guard.hpp"
#include "abi/inspection.hpp"
#include "base/text.hpp"

namespace broch::abi {
namespace {

using base::Diagnostic;
using base::Exit;

constexpr const char* kExpected = "all of it as before";
constexpr const char* kNext =
    "use full paths and functions that take a locale; leave signals to the host, and block them "
    "only on threads of your own";

std::string working_directory() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? path : "";
}

std::pair<dev_t, ino_t> working_directory_id() {
  struct stat entry {};
  if (stat(".", &entry) != 0) return {};
  return {entry.st_dev, entry.st_ino};
}

std::string process_locale() {
  const char* name = setlocale(LC_ALL, nullptr);
  return name ? name : "";
}

std::string differing_signals(const sigset_t& before, const sigset_t& now) {
  std::vector<std::string> names;
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&before, signal) != sigismember(&now, signal)) {
      const char* name = sigabbrev_np(signal);
      names.push_back(name ? std::string("SIG") + name : std::to_string(signal));
    }
  return base::join(names, ", ");
}

}  // namespace

Environment::Environment()
    : directory_(working_directory()),
      directory_id_(working_directory_id()),
      locale_(process_locale()),
      thread_locale_(uselocale(nullptr)) {
  pthread_sigmask(SIG_SETMASK, nullptr, &signal_mask_);
  sigaction(SIGINT, nullptr, &interrupt_);
  sigaction(SIGTERM, nullptr, &terminate_);
}

std::string Environment::restore_directory() const {
  if (working_directory_id() == directory_id_) return "";
  const std::string now = working_directory();
  const bool back = chdir(directory_.c_str()) == 0;
  return "the working directory from " + directory_ + " to " + now +
         (back ? "" : " (and there is no way back)");
}

std::string Environment::restore_locale() const {
  const std::string now = process_locale();
  if (now != locale_) setlocale(LC_ALL, locale_.c_str());
  const bool thread_changed = uselocale(nullptr) != thread_locale_;
  if (thread_changed) uselocale(thread_locale_);
  if (now != locale_) return "the locale from " + locale_ + " to " + now;
  return thread_changed ? "the locale of the thread" : "";
}

std::string Environment::restore_signal_mask() const {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  const std::string signals = differing_signals(signal_mask_, now);
  if (signals.empty()) return "";
  pthread_sigmask(SIG_SETMASK, &signal_mask_, nullptr);
  return "the signal mask (" + signals + ")";
}

std::string Environment::restore_signal_handlers() const {
  std::vector<std::string> names;
  for (const auto& [number, name, before] :
       {std::tuple(SIGINT, "SIGINT", &interrupt_), std::tuple(SIGTERM, "SIGTERM", &terminate_)}) {
    struct sigaction now;
    sigaction(number, nullptr, &now);
    if (now.sa_handler == before->sa_handler) continue;
    sigaction(number, before, nullptr);
    names.emplace_back(name);
  }
  return names.empty() ? "" : "what happens on " + base::join(names, " and ");
}

std::string Environment::restore_fp_control() const {
  if (base::FpControl() == fp_control_) return "";
  fp_control_.restore();
  return "floating-point control";
}

std::string Environment::restore() const {
  std::vector<std::string> changes;
  for (std::string change :
       {restore_directory(), restore_locale(), restore_signal_mask(), restore_signal_handlers()})
    if (!change.empty()) changes.push_back(std::move(change));
  return base::join(changes, " and ");
}

void Environment::check(const Instance& instance, const char* hook) const {
  const std::string changes = restore();
  if (changes.empty()) return;
  note(Misuse::environment, instance.label() + " changed " + changes + " in " + hook);
  throw PluginError(Exit::training,
                    Diagnostic{instance.label() + " violated the interface",
                               "changed " + changes + " in " + hook, kExpected, kNext},
                    BROCH_E_INTERNAL);
}

void Environment::check_steps(const std::string& when) const {
  const std::string changes = restore();
  if (changes.empty()) return;
  note(Misuse::environment, "a plugin changed " + changes + " in a hook of the steps, " + when);
  throw base::Error(Exit::training,
                    Diagnostic{"a plugin violated the interface " + when,
                               "changed " + changes + " in a hook of the steps", kExpected, kNext});
}

void Environment::check_loading(const std::string& file) const {
  const std::string fp_control = restore_fp_control(), changes = restore();
  if (!fp_control.empty())
    throw base::Error(Exit::plugin, Diagnostic{file, "loading it changed " + fp_control,
                                               "all numbers to be computed as before",
                                               "link it without -ffast-math, which lets a library "
                                               "do that"});
  if (!changes.empty())
    throw base::Error(Exit::plugin, Diagnostic{file, "loading it changed " + changes, kExpected,
                                               "leave such things out of constructors"});
}

}  // namespace broch::abi
