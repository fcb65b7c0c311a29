// nursery_process.cpp: the nursery itself.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/deadline.hpp"
#include "nursery_line.hpp"
#include "process_state.hpp"
#include "scene.hpp"
#include "single.hpp"
#include "subject.hpp"

namespace broch::check {
namespace {

constexpr int kLine = STDIN_FILENO;
constexpr int kLookMilliseconds = 10;  // between two looks at a process without a descriptor of it

bool ends_early = false;

// Called at exit between the destructors of the plugin, which is loaded after this was registered,
// and those of LibTorch, which take longer than most tests.
void end_early(int status, void*) {
  if (!ends_early) return;
  std::fflush(nullptr);
  _exit(status);
}

// An early end leaves out functions with the attribute destructor, so one test ends in full; with a
// sanitizer all do, since it looks for leaks at the end.
bool may_end_early(const Job& job) {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#endif
  return job.test != "drive";
}

// What cannot be opened, the test tries again and reports.
void prepare(Ground& ground, const Job& job) try {
  ground.file();
  if (job.component.empty()) return;
  ground.kinds();
  const bool had_torch = ground.has_torch();
  Subject(ground, job.component).backend();
  if (!had_torch && ground.has_torch()) on_exit(&end_early, nullptr);
} catch (const std::exception&) {
}

// A copy has none of the threads of this process. No devices were asked for, so it may use a GPU.
bool may_fork(size_t threads) {
#if defined(__SANITIZE_THREAD__)
  return false;
#endif
  return count_threads() <= threads;
}

// Leaves the process unreaped. Ends this one if its parent ends.
int status_of(pid_t pid) {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  siginfo_t info{};
  while (waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == 0) {
    pollfd watched[] = {{kLine, POLLIN, 0}, {pidfd, POLLIN, 0}};
    poll(watched, 2, pidfd < 0 ? kLookMilliseconds : -1);
    if (!watched[0].revents) continue;
    kill(-pid, SIGKILL);
    _exit(0);
  }
  if (pidfd >= 0) close(pidfd);
  return info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
}

// Returns true in the copy.
bool fork_for(const Order& order, double seconds, pid_t& pid) {
  const pid_t nursery = getpid();
  pid = fork();
  if (pid != 0) {
    if (pid > 0) setpgid(pid, pid);
    return false;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != nursery) _exit(126);  // it ended first
  enter({order.folder.c_str(), -1, order.verdict, order.output,
         static_cast<unsigned long>(seconds) + 1});
  return true;
}

}  // namespace

void run_nursery(const Options& options) {
  Ground ground(options);
  // Starts the thread that Deadline uses. A copy starts it again when it needs it.
  { const base::Deadline first("", "", 1); }
  const size_t threads = count_threads();
  pid_t pid = -1;
  while (const std::optional<Order> order = receive_order(kLine)) {
    if (pid > 0) waitpid(pid, nullptr, 0);
    prepare(ground, order->job);
    pid = -1;
    if (may_fork(threads) && fork_for(*order, options.seconds, pid)) {
      ends_early = may_end_early(order->job);
      return run_single(ground, order->job);
    }
    close(order->verdict);
    close(order->output);
    if (!send_number(kLine, pid)) break;
    if (pid > 0 && !send_number(kLine, status_of(pid))) break;
  }
  _exit(0);
}

}  // namespace broch::check
