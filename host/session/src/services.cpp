// services.cpp: starts services in order, and stops them in reverse order.
#include "session/services.hpp"

#include "abi/environment.hpp"
#include "base/log.hpp"
#include "settled.hpp"

namespace broch::session {

Services::Services(const std::vector<abi::Instance*>& instances) {
  const abi::Environment environment;
  try {
    for (abi::Instance* instance : instances) {
      if (!abi::Service::plays(*instance) || !settled(*instance)) continue;
      abi::Service service = abi::Service::make(*instance);
      service.start();
      running_.push_back(service);
      environment.check(*instance, "start");
    }
  } catch (...) {
    stop();
    throw;
  }
}

Services::~Services() { stop(); }

void Services::stop() noexcept {
  while (!running_.empty()) {
    try {
      if (settled(running_.back().instance())) running_.back().stop();
    } catch (const std::exception& error) {
      base::error(error.what());
    }
    running_.pop_back();
  }
}

}  // namespace broch::session
