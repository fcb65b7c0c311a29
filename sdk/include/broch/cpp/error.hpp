// error.hpp: failures as exceptions inside a plugin. No exception crosses the interface.
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "../status.h"

namespace broch {
inline namespace v0 {

// A failure. The host receives its status and message when it leaves the plugin.
class Error : public std::exception {
 public:
  Error(broch_status status, std::string message) : status_(status), message_(std::move(message)) {}
  explicit Error(std::string message) : Error(BROCH_E_UNKNOWN, std::move(message)) {}
  broch_status status() const { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  broch_status status_;
  std::string message_;
};

// The host asked to give up waiting (BROCH_CANCELLED). Not a failure.
class Cancelled : public Error {
 public:
  Cancelled() : Error(BROCH_CANCELLED, "cancelled") {}
};

// Ends training without an error (BROCH_STOP); the host logs the reason, unless it is empty. Not a
// failure. tensorpack: `StopTraining`.
class StopTraining : public Error {
 public:
  explicit StopTraining(std::string reason) : Error(BROCH_STOP, std::move(reason)) {}
};

}  // namespace v0
}  // namespace broch
