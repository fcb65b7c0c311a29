// verdict.hpp: how a child tells its parent what came out.
#pragma once
#include <stdexcept>
#include <string>

#include "check/check.hpp"

namespace broch::check {

inline constexpr int kVerdictFd = 3;  // of the child

// A test ends early by one of these.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Tells the parent; the first verdict of a process counts. [any thread]
void tell_verdict(Status status, const std::string& message);
// Fails the test from a thread while another one hangs.
[[noreturn]] void fail_and_leave(const std::string& message);

struct Verdict {
  bool there = false;
  Status status = Status::failed;
  std::string message;
};
// The text that a child wrote.
Verdict read_verdict(const std::string& text);

}  // namespace broch::check
