// child_process.cpp: fork, exec, and a wait with a deadline.
#include "child_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace broch::check {

bool wait_for(int fd, Clock::time_point end) {
  using namespace std::chrono;
  for (;;) {
    const auto left = duration_cast<milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd watched{fd, POLLIN, 0};
    const int ready = poll(&watched, 1, static_cast<int>(std::min<long>(left, 60000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const Place& place,
                           bool ends_with_thread) {
  std::vector<std::string> copies = arguments;
  std::vector<char*> words;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    if (ends_with_thread) prctl(PR_SET_PDEATHSIG, SIGKILL);
    enter(place);
    execv("/proc/self/exe", words.data());
    _exit(126);
  }
  if (pid_ < 0)
    throw base::Error(base::Exit::data,
                      {"checking a plugin", std::string("fork failed: ") + std::strerror(errno),
                       "a process for each test", "check the limits of processes and memory"});
  setpgid(pid_, pid_);  // set in parent and child, so that it is set in both
  // glibc 2.36 declares pidfd_open without C linkage.
  pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

ChildProcess::~ChildProcess() { end(); }

bool ChildProcess::wait_until(Clock::time_point end) const { return wait_for(pidfd_, end); }

int ChildProcess::end() {
  if (pid_ < 0) return 0;
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  if (pidfd_ >= 0) close(pidfd_);
  pid_ = -1;
  return status;
}

Ended run_child(const std::vector<std::string>& arguments, double seconds) {
  const Scene scene;
  const auto begin = Clock::now();
  ChildProcess child(arguments,
                     {scene.folder.path().c_str(), -1, scene.verdict.fd(), scene.output.fd(),
                      static_cast<unsigned long>(seconds) + 1},
                     true);
  const bool in_time = child.wait_until(after(seconds));
  Ended ended = read(scene, child.end());
  ended.late = !in_time;
  ended.seconds = seconds_since(begin);
  return ended;
}

}  // namespace broch::check
