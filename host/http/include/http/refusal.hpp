// refusal.hpp: a request that is answered with an error.
#pragma once
#include <stdexcept>
#include <string>

namespace broch::http {

// what() is "where: found …, expected …; hint", in one line.
class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& what) : std::runtime_error(what), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace broch::http
