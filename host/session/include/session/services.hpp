// services.hpp: what runs beside training, from before its callbacks until after them.
#pragma once
#include <vector>

#include "abi/roles.hpp"

namespace broch::session {

class Services {
 public:
  // Of these instances, in their order, those that answer broch.service/1. A failure is thrown as
  // PluginError, after those that run were stopped.
  explicit Services(const std::vector<abi::Instance*>& instances);
  // In reverse order; failures are logged.
  ~Services();
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;

 private:
  void stop() noexcept;

  std::vector<abi::Service> running_;
};

}  // namespace broch::session
