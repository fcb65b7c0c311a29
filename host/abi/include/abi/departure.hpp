// departure.hpp: what becomes of a run when a plugin calls exit, or forks.
#pragma once

namespace broch::abi {

class Instance;

// As long as one of them lives, calling exit does not make a run that goes on look finished: the
// process ends with one line that says who did it, and code 4 while loading or in create, else 1.
// And a child that a plugin forks is no second run.
class InRun {
 public:
  InRun();
  ~InRun();
  InRun(const InRun&) = delete;
  InRun& operator=(const InRun&) = delete;
};

// True in a process that a plugin forked.
bool in_forked_child();
// Says that it came back from a call, and ends it.
[[noreturn]] void end_forked_child(const Instance& instance, const char* hook);

}  // namespace broch::abi
