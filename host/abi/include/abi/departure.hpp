// departure.hpp: what happens when a plugin calls exit or fork.
#pragma once

namespace broch::abi {

class Instance;

// While one of these objects exists, a call of exit cannot make an unfinished run look finished.
// The process ends with a line that says who called exit. The exit code is 4 while a library is
// being loaded or in create, otherwise 1. A child that a plugin forks does not continue as a second
// run.
class InRun {
 public:
  InRun();
  ~InRun();
  InRun(const InRun&) = delete;
  InRun& operator=(const InRun&) = delete;
};

// Whether this is a process that a plugin forked.
bool in_forked_child();
// Logs that the forked process returned from a call of a plugin, and ends it.
[[noreturn]] void end_forked_child(const Instance& instance, const char* hook);

}  // namespace broch::abi
