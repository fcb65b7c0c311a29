// verdict.hpp: how a child process sends its result to the parent.
#pragma once
#include <stdexcept>
#include <string>

#include "check/check.hpp"

namespace broch::check {

inline constexpr int kVerdictFd = 3;  // in the child process

// A test throws one of these to end early.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Sends the verdict. Only the first one of a process counts. [any thread]
void tell_verdict(Status status, const std::string& message);
// Fails the test and exits, while another thread hangs.
[[noreturn]] void fail_and_leave(const std::string& message);

struct Verdict {
  bool there = false;
  Status status = Status::failed;
  std::string message;
};
// Reads the text that a child process wrote.
Verdict read_verdict(const std::string& text);

}  // namespace broch::check
