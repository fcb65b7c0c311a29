// stop.hpp: the ways in which a step leaves the loop without having failed.
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "abi/instance.hpp"

namespace broch::plan {

// A callback, the trainer or the end of the data ends training quietly. tensorpack:
// `StopTraining`.
class StopTraining : public std::exception {
 public:
  explicit StopTraining(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

// The data ran out before anything of the run was changed.
class EndOfData : public StopTraining {
 public:
  using StopTraining::StopTraining;
};

// A signal was seen at a step boundary or while waiting for input.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// What ended a run that a plugin made in one of its calls: it stays in force even when the plugin
// does not pass it on.
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

// What an instance said through host->fail in the call that answered BROCH_STOP, else who it was.
// said_before: abi::thread_state().messages when the call began. REQUIRES: no call since.
StopTraining stopped_by(const abi::Instance* instance, uint64_t said_before);

}  // namespace broch::plan
