// child_process.hpp: runs this program again, with limits, a deadline and a temporary folder.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "scene.hpp"

namespace broch::check {

using Clock = std::chrono::steady_clock;

// The program, in a process group of its own. Throws base::Error (data) if no process can be
// started.
class ChildProcess {
 public:
  // ends_with_thread: it is killed when the calling thread ends.
  ChildProcess(const std::vector<std::string>& arguments, const Place& place,
               bool ends_with_thread);
  // Kills the process group.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // False: it has not ended by then.
  bool wait_until(Clock::time_point end) const;
  // Kills what is left of the process group. Returns the status of waitpid.
  int end();

 private:
  int pid_;
  int pidfd_;
};

// Runs it to its end, or to the deadline. When this returns, all processes in its process group
// have ended.
Ended run_child(const std::vector<std::string>& arguments, double seconds);

// Until the descriptor can be read. False: the time is up.
bool wait_for(int fd, Clock::time_point end);
Clock::time_point after(double seconds);
double seconds_since(Clock::time_point begin);

}  // namespace broch::check
