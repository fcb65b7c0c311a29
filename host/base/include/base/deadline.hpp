// deadline.hpp: ends the program when a call into foreign code does not come back.
#pragma once
#include <chrono>
#include <string>

#include "base/error.hpp"

namespace broch::base {

inline constexpr double kLoadSeconds = 10;  // for loading a library, create and destroy

// A call that hangs in foreign code cannot be taken back: when the time is up, the message is
// written and the process ends with the exit code, running no destructor. One thread watches over
// all deadlines; it starts with the first.
//   const Deadline deadline("/plugins/slow.so", "loading");
class Deadline {
 public:
  // place as in Diagnostic: the file or the instance; doing is "loading" or the call: "create".
  Deadline(const std::string& place, const std::string& doing, double seconds = kLoadSeconds,
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
