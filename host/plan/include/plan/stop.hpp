// stop.hpp: exceptions by which a step leaves the loop without having failed.
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "abi/instance.hpp"

namespace broch::plan {

// A callback, the trainer or the end of the data ends training normally. tensorpack:
// `StopTraining`.
class StopTraining : public std::exception {
 public:
  explicit StopTraining(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

// A signal was noticed between two steps or while waiting for input.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// An exception in the execution of a plan that a plugin started during a call. It is rethrown
// after the call, even if the plugin ignored the status it got.
class Pending {
 public:
  void keep_current() { failure_ = std::current_exception(); }  // REQUIRES: in a catch clause
  void clear() { failure_ = nullptr; }
  void rethrow() {
    if (failure_) [[unlikely]]
      std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::exception_ptr failure_;
};

// Makes the exception for a call that returned BROCH_STOP. Its text is what the instance passed to
// host->fail in that call, else the instance's name. messages_before: abi::thread_state().messages
// when the call began. REQUIRES: no other call since.
StopTraining stopped_by(const abi::Instance* instance, uint64_t messages_before);

}  // namespace broch::plan
