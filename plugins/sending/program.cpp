// program.cpp: a process around files in memory, and waitpid.
#include "sending/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <broch/broch.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "sending/spawn_plan.hpp"

namespace broch::sending {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostOutput = 64 << 10;
constexpr auto kFirstPause = std::chrono::milliseconds(1), kPause = std::chrono::milliseconds(20);
constexpr int kFirstFree = 10;  // descriptors below are the child's

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(BROCH_E_UNAVAILABLE, what + ": " + std::strerror(error));
}

// A file that exists in memory only, so that neither side waits for the other.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content = "") {
    const int made = memfd_create("broch", MFD_CLOEXEC);
    descriptor_ = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, kFirstFree);
    if (made >= 0) close(made);
    if (descriptor_ < 0) fail("a file in memory", errno);
    for (size_t at = 0; at < content.size();) {
      const ssize_t n = pwrite(descriptor_, content.data() + at, content.size() - at, off_t(at));
      if (n < 0 && errno != EINTR) fail("a file in memory", errno);
      at += n > 0 ? size_t(n) : 0;
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::string content() const {
    std::string text(kMostOutput, '\0');
    const ssize_t n = pread(descriptor_, text.data(), text.size(), 0);
    text.resize(n > 0 ? size_t(n) : 0);
    return text;
  }

 private:
  int descriptor_;
};

pid_t start(const std::vector<int>& descriptors, const std::vector<std::string>& words) {
  pid_t process = 0;
  const int error = SpawnPlan(descriptors).start(process, words, environ);
  if (error != 0) fail("cannot start " + words[0], error);
  return process;
}

}  // namespace

Ran run_program(const std::vector<std::string>& words, const std::string& input,
                const std::string& extra, double seconds) {
  const MemoryFile standard_input(input), output, errors, more(extra);
  const pid_t process = start(
      {standard_input.descriptor(), output.descriptor(), errors.descriptor(), more.descriptor()},
      words);
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Ran ran;
  int status = 0;
  for (auto pause = kFirstPause; waitpid(process, &status, WNOHANG) == 0;
       pause = std::min(2 * pause, kPause)) {
    if (!ran.too_slow && Clock::now() > end) {
      ran.too_slow = true;
      kill(-process, SIGKILL);
    }
    std::this_thread::sleep_for(pause);
  }
  ran.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  ran.output = output.content();
  ran.errors = errors.content();
  return ran;
}

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace broch::sending
