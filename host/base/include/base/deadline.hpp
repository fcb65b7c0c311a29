// deadline.hpp: ends the program when a call into foreign code does not return.
#pragma once
#include <chrono>
#include <string>

#include "base/error.hpp"

namespace broch::base {

inline constexpr double kLoadSeconds = 10;  // for loading a library, create and destroy

// A time limit for one call. A call that hangs in foreign code cannot be cancelled. So when the
// time is up, the message is written and the process ends with the exit code, without running
// destructors. One thread, which starts with the first deadline, watches all of them.
//   const Deadline deadline("/plugins/slow.so", "loading");
class Deadline {
 public:
  // `where` is as in Diagnostic: the file or the instance. `doing` is "loading", or the name of the
  // call, such as "create".
  Deadline(const std::string& where, const std::string& doing, double seconds = kLoadSeconds,
           Exit exit = Exit::plugin);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  friend class Watch;
  const std::string message_;
  const Exit exit_;
  const std::chrono::steady_clock::time_point end_;
};

}  // namespace broch::base
