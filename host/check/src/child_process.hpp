// child_process.hpp: this program again, with limits, a deadline and a folder of its own.
#pragma once
#include <string>
#include <vector>

namespace broch::check {

struct Limits {
  double seconds = 60;  // of the clock; of the processor too
};

struct Ended {
  std::string verdict;  // what it wrote to kVerdictFd
  std::string output;   // the end of its stdout and stderr
  int exit_code = -1;   // -1: ended by …
  int signal = 0;       // … a signal
  bool late = false;    // … at the deadline
  double seconds = 0;
};

// Everything the child started in its process group has ended when this returns. Throws base::Error
// (data) when no process can be had.
Ended run_child(const std::vector<std::string>& arguments, const Limits& limits);

}  // namespace broch::check
