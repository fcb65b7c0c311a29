// scene.hpp: where a process under test runs: its folder, its limits, and where it writes.
#pragma once
#include <string>

#include "base/scratch_folder.hpp"

namespace broch::check {

// A file in memory. Throws base::Error (data) if there can be none.
class Memory {
 public:
  explicit Memory(const char* name);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  int fd() const { return fd_; }
  // At most this many bytes from the end.
  std::string text(size_t most) const;

 private:
  int fd_;
};

// Of one process: it is removed when the process has ended.
struct Scene {
  Memory verdict{"verdict"}, output{"output"};
  const base::ScratchFolder folder{"broch-check"};
};

struct Place {
  const char* folder;
  int input, verdict, output;     // descriptors; input < 0: nothing to read
  unsigned long cpu_seconds = 0;  // that it may use; 0: any number
};

// Makes the calling process, which fork has just made, one that runs there, in a process group of
// its own. Ends it if that fails. Makes only calls that are safe in a signal handler.
void enter(const Place& place);

// What happened to the process that ran there, as far as waitpid tells.
struct Ended {
  std::string verdict;  // what it wrote to kVerdictFd
  std::string output;   // the end of stdout and stderr
  int exit_code = -1;   // -1 if it was ended by a signal
  int signal = 0;       // 0 if it exited
  bool late = false;    // it was killed at the deadline
  double seconds = 0;
};
Ended read(const Scene& scene, int wait_status);

}  // namespace broch::check
