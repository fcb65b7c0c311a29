// inspection.hpp: lets `broch plugin check` observe and change what passes between host and plugin.
// Without an inspector, the room works as its other headers say.
#pragma once
#include <cstdint>
#include <string>

namespace broch::abi {

class Instance;

// Ways in which a plugin can violate the interface. Most are answered with a status, which the
// plugin may ignore, so that nobody would notice the violation.
enum class Misuse : uint8_t {
  status,       // returned a number that the entry's comment does not list
  silent,       // failed without giving a reason
  exception,    // let an exception escape
  environment,  // changed floating-point control, working directory, locale or signal mask
  caller,       // called a host function in the wrong role or on a thread that was not announced
  host,         // passed a host pointer that is not its own
  handle,       // used a handle that is stale, of another owner or of another kind
  leak,         // did not release its owned handles before destroy returned
  threads,      // left announced threads running after destroy
};

class Inspector {
 public:
  virtual ~Inspector() = default;
  // Called on any thread, and on several at once. `text` is a sentence that names the instance or
  // the function.
  virtual void saw(Misuse misuse, const std::string& text) = 0;
  // What get_extension returns to the instance `asking` instead of `table`; may be NULL. The result
  // must stay valid until the process ends.
  virtual const void* extension(const Instance& asking, const char* id, const void* table) = 0;
};

// Sets the inspector of the process; nullptr: none. It must stay valid until it is replaced.
void inspect(Inspector* inspector);
// nullptr: none
Inspector* inspector();

// Reports a violation to the inspector, if there is one.
inline void note(Misuse misuse, const std::string& text) {
  if (Inspector* const present = inspector()) present->saw(misuse, text);
}

}  // namespace broch::abi
