// error.hpp: the one exception of the host and the exit codes it ends in.
#pragma once
#include <stdexcept>
#include <string>

namespace broch::base {

// Exit codes of the program; docs/command_line.md explains them; they are stable.
enum class Exit : int {
  ok = 0,             // finished, or stopped by a rule in the manifest
  training = 1,       // a plugin or the runtime failed during training
  usage = 2,          // command line
  manifest = 3,       // manifest invalid
  plugin = 4,         // plugin: not found, wrong ABI, cannot be loaded
  data = 5,           // data or file system
  numbers = 6,        // non-finite loss, divergence rule
  memory = 7,         // device or host memory
  collective = 8,     // time-out, lost rank
  checkpoint = 9,     // checkpoint unreadable or mismatched
  saved = 75,         // interrupted, state saved: run again with --resume to continue exactly
  interrupted = 130,  // SIGINT before a save was possible
  terminated = 143,   // SIGTERM before a save was possible
};

// What went wrong, for a person to read. Empty parts are left out. what() is "where: found …,
// expected …" and, on a line of its own, "  hint: …".
struct Diagnostic {
  std::string where;     // file:line:column, JSON pointer, plugin id, path
  std::string found;     // what was there
  std::string expected;  // what would have been right
  std::string hint;      // what the reader can do now
};

// Visible to the shared objects of the runtime, which throw it to the program.
class __attribute__((visibility("default"))) Error : public std::runtime_error {
 public:
  Error(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}
  Error(Exit exit, const Diagnostic& diagnostic);

  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

}  // namespace broch::base
