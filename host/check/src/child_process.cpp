// child_process.cpp: fork, exec, and a wait with a deadline.
#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.hpp"
#include "base/scratch_folder.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

constexpr rlim_t kAddressSpace = rlim_t{4} << 30;  // bytes
constexpr rlim_t kFileSize = rlim_t{256} << 20;    // bytes
constexpr size_t kOutput = 16384;                  // bytes; only the end is kept

[[noreturn]] void fail(const std::string& what) {
  throw base::Error(base::Exit::data,
                    {"checking a plugin", what + " failed: " + std::strerror(errno),
                     "a process for each test", "check the limits of processes and memory"});
}

class Memory {
 public:
  explicit Memory(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {
    if (fd_ < 0) fail("memfd_create");
  }
  ~Memory() { close(fd_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  int fd() const { return fd_; }
  // At most this many bytes from the end.
  std::string text(size_t most) const {
    struct stat status {};
    fstat(fd_, &status);
    const auto size = static_cast<size_t>(status.st_size);
    std::string bytes(std::min(size, most), '\0');
    const ssize_t got =
        pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size - bytes.size()));
    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return bytes;
  }

 private:
  int fd_;
};

void limit(int resource, rlim_t value) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &now);
  const rlim_t most = std::min(value, now.rlim_max);
  const rlimit wanted{most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &wanted);
}

struct Start {
  std::vector<char*> words;
  const char* folder;
  int verdict, output, nothing;
  rlim_t processor_seconds;
};

// Runs between fork and exec in a process with threads, so it may only make calls that are safe in
// a signal handler.
[[noreturn]] void become_child(const Start& start) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kFileSize);
  limit(RLIMIT_CPU, start.processor_seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_AS, kAddressSpace);
#endif
  if (chdir(start.folder) != 0) _exit(126);
  dup2(start.nothing, STDIN_FILENO);
  dup2(start.output, STDOUT_FILENO);
  dup2(start.output, STDERR_FILENO);
  // If the descriptor is kVerdictFd already, dup2 would do nothing and leave it to be closed by
  // exec.
  if (start.verdict == kVerdictFd)
    fcntl(kVerdictFd, F_SETFD, 0);
  else
    dup2(start.verdict, kVerdictFd);
  execv("/proc/self/exe", start.words.data());
  _exit(126);
}

// Returns false if the process has not ended in time.
bool wait_until(int pidfd, std::chrono::steady_clock::time_point end) {
  using namespace std::chrono;
  for (;;) {
    const auto left = duration_cast<milliseconds>(end - steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd watched{pidfd, POLLIN, 0};
    const int ready = poll(&watched, 1, static_cast<int>(std::min<long>(left, 60000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

}  // namespace

Ended run_child(const std::vector<std::string>& arguments, const Limits& limits) {
  const Memory verdict("verdict"), output("output");
  const base::ScratchFolder folder("broch-check");
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  Start start{{},           folder.path().c_str(),
              verdict.fd(), output.fd(),
              nothing,      static_cast<rlim_t>(limits.seconds) + 1};
  std::vector<std::string> copies = arguments;
  for (std::string& word : copies) start.words.push_back(word.data());
  start.words.push_back(nullptr);

  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid == 0) become_child(start);
  if (nothing >= 0) close(nothing);
  if (pid < 0) fail("fork");
  setpgid(pid, pid);  // set in parent and child, so that it is set in both
  // glibc 2.36 declares pidfd_open without C linkage.
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  Ended ended;
  ended.late = !wait_until(pidfd, begin + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                              std::chrono::duration<double>(limits.seconds)));
  kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (pidfd >= 0) close(pidfd);
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.verdict = verdict.text(size_t{1} << 20);
  ended.output = output.text(kOutput);
  return ended;
}

}  // namespace broch::check
