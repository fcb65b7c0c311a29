// message.hpp: why something failed on this thread.
#pragma once
#include <string>

#include "base/error.hpp"
#include "broch/status.h"

namespace broch::abi {

struct Message {
  std::string text;
  broch_status code = BROCH_OK;
  bool by_plugin = false;     // given through host->fail, not by a failing host function
  bool names_plugin = false;  // the text already says which instance failed in which hook
  bool has_exit = false;
  base::Exit exit = base::Exit::training;
};

// The last one told on this thread.
Message& last_message();
// Keeps it, counts it (ThreadState::messages) and returns its code.
broch_status tell(Message message);

// "INVALID_ARGUMENT", "STOP", or "unknown".
const char* status_name(broch_status status);

}  // namespace broch::abi
