// deadline.hpp: ends the program when a call into an instance does not come back.
#pragma once
#include <chrono>
#include <string>

#include "abi/instance.hpp"

namespace broch::abi {

inline constexpr double kCreateSeconds = 10;

// A call that hangs in foreign code cannot be taken back: when the time is up, one line naming the
// instance and the hook is written and the process ends with exit code 4 (plugin), running no
// destructor. One thread watches over all deadlines; it starts with the first.
//   const Deadline deadline(spec, "create");  Instance instance(context, spec, …);
class Deadline {
 public:
  Deadline(const InstanceSpec& spec, const std::string& hook, double seconds = kCreateSeconds);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  friend class Watch;
  const std::string line_;
  const std::chrono::steady_clock::time_point end_;
};

}  // namespace broch::abi
