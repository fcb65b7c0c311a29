// launch.cpp: command line, cores and devices of a trial.
#include "launch.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "devices.hpp"
#include "precheck.hpp"

namespace broch::sweep {
namespace {

// The file for what a trial prints. The trial inherits its lock, and so holds it for as long as it
// runs, from its very beginning. Closed with the object.
struct Output {
  explicit Output(const std::string& file)
      : descriptor(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (descriptor < 0)
      base::fail(base::Exit::data, file, "a file that cannot be written", "a writable one",
                 "check the rights of its folder");
    // is_running() of another program holds a lock for a moment.
    for (int left = 100; flock(descriptor, LOCK_EX | LOCK_NB) != 0 && left > 0; --left)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ~Output() { close(descriptor); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  int descriptor;
};

}  // namespace

std::vector<std::string> train_words(const Spec& spec, const Trial& trial, const Passed& passed) {
  std::vector<std::string> words{"train", spec.manifest};
  words.insert(words.end(), spec.overrides.begin(), spec.overrides.end());
  for (const value::Member& member : trial.parameters.object())
    words.push_back(override_of(member.key, member.value));
  for (const std::string& word : folder_overrides(trial.log_dir(spec))) words.push_back(word);
  words.insert(words.end(), {"--resume=auto", "--runtime", passed.runtime});
  for (const std::string& folder : passed.plugin_path)
    words.insert(words.end(), {"--plugin-path", folder});
  return words;
}

cpu_set_t cores_of(const Slot& slot, int64_t slots, const cpu_set_t& usable) {
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &usable)) cores.push_back(core);
  const auto count = int64_t(cores.size());
  const int64_t first = slot.index * count / slots;
  const int64_t end = std::max(first + 1, (slot.index + 1) * count / slots);
  cpu_set_t share;
  CPU_ZERO(&share);
  for (int64_t i = first; i < end; ++i) CPU_SET(cores[size_t(i)], &share);
  return share;
}

bool is_running(const Spec& spec, const Trial& trial) {
  const int descriptor = open(trial.text_file(spec).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_locked = flock(descriptor, LOCK_SH | LOCK_NB) != 0;
  close(descriptor);
  return is_locked;
}

Child start_trial(const Spec& spec, const Trial& trial, const Slot& slot, const Passed& passed) {
  const Output output(trial.text_file(spec));
  Launch launch{"/proc/self/exe", train_words(spec, trial, passed)};
  launch.output = launch.errors = output.descriptor;
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0)
    launch.cores = cores_of(slot, spec.parallel, usable);
  if (!spec.devices.empty()) {
    const auto which = size_t(slot.index) % spec.devices.size();
    launch.environment.emplace_back(kVisible, visible_device(spec.devices[which]));
  }
  return Child(launch);
}

}  // namespace broch::sweep
