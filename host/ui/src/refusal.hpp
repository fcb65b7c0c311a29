// refusal.hpp: a request that is answered with an error.
#pragma once
#include <stdexcept>
#include <string>

namespace broch::ui {

class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& what) : std::runtime_error(what), status_(status) {}
  int status() const { return status_; }  // of HTTP

 private:
  int status_;
};

inline constexpr int kBadRequest = 400, kForbidden = 403, kNotFound = 404, kNotAllowed = 405,
                     kConflict = 409, kTooMany = 429;

}  // namespace broch::ui
