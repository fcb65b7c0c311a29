// environment.cpp: working directory, locale and signal mask, compared and put back.
#include "abi/environment.hpp"

#include <unistd.h>

#include <climits>
#include <cstring>

#include "abi/guard.hpp"
#include "base/text.hpp"

namespace broch::abi {
namespace {

std::string working_directory() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? path : "";
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
      locale_(process_locale()),
      thread_locale_(uselocale(nullptr)) {
  pthread_sigmask(SIG_SETMASK, nullptr, &signal_mask_);
}

std::string Environment::restore_directory() const {
  const std::string now = working_directory();
  if (now == directory_) return "";
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

void Environment::check(Instance& instance, const char* hook) {
  std::vector<std::string> changes;
  for (std::string change : {restore_directory(), restore_locale(), restore_signal_mask()})
    if (!change.empty()) changes.push_back(std::move(change));
  if (changes.empty()) return;
  throw PluginError(base::Exit::training,
                    base::Complaint{instance.label() + " violated the interface",
                                    "changed " + base::join(changes, " and ") + " in " + hook,
                                    "all of it as before",
                                    "use full paths and functions that take "
                                    "a locale; block signals only on threads of your own"},
                    BROCH_E_INTERNAL);
}

}  // namespace broch::abi
