// service.cpp: starts and stops what runs beside training.
#include "abi/roles/service.hpp"

#include <csignal>

#include "base/deadline.hpp"

namespace broch::abi {
namespace {

constexpr double kStopSeconds = 5;  // as in tensorpack's StartProcOrThread

std::string where_of(const Instance& instance) {
  return instance.label() + " in " + instance.spec().file;
}

// Threads and processes inherit the signal mask with which they are started.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t ours;
    sigemptyset(&ours);
    for (const int signal : {SIGINT, SIGTERM}) sigaddset(&ours, signal);
    pthread_sigmask(SIG_BLOCK, &ours, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Service::Service(Instance& instance) : RoleOf(instance, BROCH_PLUGIN_SERVICE) {
  require_entry(instance, BROCH_PLUGIN_SERVICE, "start", table_.start);
  require_entry(instance, BROCH_PLUGIN_SERVICE, "stop", table_.stop);
}

bool Service::plays(Instance& instance) {
  return bool(instance.get_interface(BROCH_PLUGIN_SERVICE));
}

void Service::start() {
  const base::Deadline deadline(where_of(*instance_), "start");
  const SignalsBlocked blocked;
  invoke(*instance_, "start", Role::main, kOnlyOk, [&] { return table_.start(self_); });
}

void Service::stop() {
  const base::Deadline deadline(where_of(*instance_), "stop", kStopSeconds,
                                instance_->context().outcome());
  invoke(*instance_, "stop", Role::main, kOnlyOk, [&] { return table_.stop(self_); });
}

}  // namespace broch::abi
