// inspection.hpp: what `broch plugin check` sees and changes at the border of a process of its own.
// Nobody else inspects; the border then does what the other headers say.
#pragma once
#include <cstdint>
#include <string>

namespace broch::abi {

class Instance;

// A breach of the contract by a plugin. Most of them are answered with a status that the plugin may
// swallow, so that nobody would notice.
enum class Misuse : uint8_t {
  status,       // answered a number that the entry's comment does not list
  silent,       // failed without a reason
  exception,    // let one escape
  environment,  // changed floating-point control, working directory, locale or signal mask
  caller,       // called a host function in the wrong role or on a thread that nobody announced
  host,         // passed a host pointer that is not its own
  handle,       // used a handle that is stale, foreign or of another kind
  leak,         // left owned handles when it was destroyed
  threads,      // left threads announced when it was destroyed
};

class Inspector {
 public:
  virtual ~Inspector() = default;
  // Of any thread, perhaps at once. text is a sentence that names the instance or the function.
  virtual void saw(Misuse misuse, const std::string& text) = 0;
  // What get_extension answers asking instead of table; may be NULL. The answer stays valid for
  // ever.
  virtual const void* extension(const Instance& asking, const char* id, const void* table) = 0;
};

// From now on, for the whole process; nullptr: nobody. Borrowed.
void inspect(Inspector* inspector);
// nullptr: nobody inspects.
Inspector* inspector();

// Tells whoever inspects.
inline void note(Misuse misuse, const std::string& text) {
  if (Inspector* const present = inspector()) present->saw(misuse, text);
}

}  // namespace broch::abi
