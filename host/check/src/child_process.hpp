// child_process.hpp: runs this program again, with limits, a deadline and a temporary folder.
#pragma once
#include <string>
#include <vector>

namespace broch::check {

struct Limits {
  double seconds = 60;  // of wall-clock time; the limit of processor time follows from it
};

struct Ended {
  std::string verdict;  // what it wrote to kVerdictFd
  std::string output;   // the end of stdout and stderr
  int exit_code = -1;   // -1 if it was ended by a signal
  int signal = 0;       // 0 if it exited
  bool late = false;    // it was killed at the deadline
  double seconds = 0;
};

// When this returns, all processes in the child's process group have ended. Throws base::Error
// (data) if no process can be started.
Ended run_child(const std::vector<std::string>& arguments, const Limits& limits);

}  // namespace broch::check
