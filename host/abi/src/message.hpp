// message.hpp: why something failed on this thread.
#pragma once
#include <string>

#include "base/error.hpp"
#include "broch/status.h"

namespace broch::abi {

struct Message {
  std::string text;
  broch_status code = BROCH_OK;
  bool by_plugin = false;     // given through host->fail, not by a host function that failed
  bool names_plugin = false;  // the text already names the instance and the hook that failed
  bool has_exit = false;
  base::Exit exit = base::Exit::training;
  bool of_host = false;     // by_plugin, but the plugin passes on what a host function said
  bool introduced = false;  // by_plugin, with words of its own before what it passes on
};

// The last message that was stored on this thread.
Message& last_message();
// Stores the message, as UTF-8, counts it (ThreadState::messages) and returns its code.
broch_status tell(Message message);

// Such as "INVALID_ARGUMENT" or "STOP"; "unknown" for other numbers.
const char* status_name(broch_status status);

}  // namespace broch::abi
