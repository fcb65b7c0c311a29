// child.hpp: a process that the sweep has started.
#pragma once
#include <sched.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace broch::sweep {

// What a child starts with. It gets a process group of its own, so that Ctrl-C on a terminal does
// not reach it, and SIGTERM as soon as the sweep has ended, however that ends.
struct Launch {
  std::string program;  // a path, or a name to be found in PATH
  std::vector<std::string> words{};
  std::vector<std::pair<std::string, std::string>> environment{};  // on top of this process's
  std::string folder{};                                            // to start in; "": this one
  int input = -1, output = -1, errors = -1;  // descriptors; -1: nothing to read, this process's
  std::optional<cpu_set_t> cores{};          // on which it may run
};

class Child {
 public:
  // Throws base::Error (data) if the process cannot be made. If the program cannot be executed, its
  // exit code is 127.
  explicit Child(const Launch& launch);
  // Kills the group, if the process has not been waited for.
  ~Child();
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child& operator=(Child&&) = delete;

  void signal(int number) const;
  // The exit code, or 128 + n after signal n; nothing while it runs. Once there is one, the object
  // is empty.
  std::optional<int> ended();

 private:
  pid_t pid_;
};

}  // namespace broch::sweep
