// boundary.hpp: between C and C++. No exception passes it.
#pragma once
#include <exception>
#include <stdexcept>
#include <string>

#include "libbroch.h"

namespace broch::lib {

// A failure of which this library knows the status.
class Failure : public std::runtime_error {
 public:
  Failure(libbroch_status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  libbroch_status status() const { return status_; }

 private:
  libbroch_status status_;
};

// Throws a Failure with the status LIBBROCH_INVALID.
[[noreturn]] void refuse(const std::string& where, const std::string& found,
                         const std::string& expected, const std::string& hint = "");

libbroch_status succeed(libbroch_error* error) noexcept;
// The status and the message of the exception that is being handled. data_error: that of an error
// of data, which is one of the file or one of an argument.
libbroch_status fail(libbroch_error* error, libbroch_status data_error) noexcept;

template <class Body>
libbroch_status guarded(libbroch_error* error, libbroch_status data_error,
                        const Body& body) noexcept {
  try {
    body();
    return succeed(error);
  } catch (...) {
    return fail(error, data_error);
  }
}

}  // namespace broch::lib
