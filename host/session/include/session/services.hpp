// services.hpp: services, which run in parallel to training, from before its callbacks to after
// them.
#pragma once
#include <vector>

#include "abi/roles.hpp"

namespace broch::session {

class Services {
 public:
  // Starts, in order, those instances that implement broch.service/1. If one fails, stops those
  // that run and throws PluginError.
  explicit Services(const std::vector<abi::Instance*>& instances);
  // Stops them in reverse order. Failures are logged.
  ~Services();
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;

 private:
  void stop() noexcept;

  std::vector<abi::Service> running_;
};

}  // namespace broch::session
