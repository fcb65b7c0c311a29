// message.cpp: the last message of each thread, and the names of statuses.
#include "message.hpp"

#include <utility>

#include "abi/thread.hpp"
#include "base/text.hpp"

namespace broch::abi {

Message& last_message() {
  thread_local Message message;
  return message;
}

broch_status tell(Message message) {
  const broch_status code = message.code;
  if (!base::is_utf8(message.text)) message.text = base::to_utf8(message.text);
  last_message() = std::move(message);
  ++thread_state().messages;
  return code;
}

const char* status_name(broch_status status) {
  constexpr std::pair<broch_status, const char*> kNames[] = {
      {BROCH_OK, "OK"},
      {BROCH_END, "END"},
      {BROCH_STOP, "STOP"},
      {BROCH_CANCELLED, "CANCELLED"},
      {BROCH_NONE, "NONE"},
      {BROCH_E_UNKNOWN, "UNKNOWN"},
      {BROCH_E_INVALID_ARGUMENT, "INVALID_ARGUMENT"},
      {BROCH_E_DEADLINE, "DEADLINE"},
      {BROCH_E_NOT_FOUND, "NOT_FOUND"},
      {BROCH_E_ALREADY_EXISTS, "ALREADY_EXISTS"},
      {BROCH_E_PERMISSION, "PERMISSION"},
      {BROCH_E_RESOURCE_EXHAUSTED, "RESOURCE_EXHAUSTED"},
      {BROCH_E_FAILED_PRECONDITION, "FAILED_PRECONDITION"},
      {BROCH_E_ABORTED, "ABORTED"},
      {BROCH_E_OUT_OF_RANGE, "OUT_OF_RANGE"},
      {BROCH_E_UNIMPLEMENTED, "UNIMPLEMENTED"},
      {BROCH_E_INTERNAL, "INTERNAL"},
      {BROCH_E_UNAVAILABLE, "UNAVAILABLE"},
      {BROCH_E_DATA_LOSS, "DATA_LOSS"},
      {BROCH_E_NUMBERS, "NUMBERS"}};
  for (const auto& [known, name] : kNames)
    if (known == status) return name;
  return "unknown";
}

}  // namespace broch::abi
