// stop.cpp: the message of a normal end.
#include "plan/stop.hpp"

#include "abi/guard.hpp"

namespace broch::plan {

StopTraining stopped_by(const abi::Instance* instance, uint64_t messages_before) {
  if (!instance) return StopTraining{"a stop asked for by the host"};
  if (abi::thread_state().messages > messages_before)
    return StopTraining{instance->host()->last_error(instance->host())};
  return StopTraining{"a stop asked for by " + abi::describe(*instance)};
}

}  // namespace broch::plan
