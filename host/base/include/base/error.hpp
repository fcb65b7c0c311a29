// error.hpp: the one exception class of the host, and the exit codes of the program.
#pragma once
#include <stdexcept>
#include <string>

namespace broch::base {

// The exit codes of the program. They are stable; docs/command_line.md explains them.
enum class Exit : int {
  ok = 0,             // finished, or stopped by a rule in the manifest
  training = 1,       // a plugin or the runtime failed during training
  usage = 2,          // wrong use of the command line
  manifest = 3,       // the manifest is invalid
  plugin = 4,         // a plugin was not found, has the wrong ABI or cannot be loaded
  data = 5,           // an error of the data or of the file system
  numbers = 6,        // a loss that is not finite, or a divergence rule
  memory = 7,         // out of device or host memory
  collective = 8,     // a time limit between ranks passed, or a rank was lost
  checkpoint = 9,     // the checkpoint cannot be read or does not match
  saved = 75,         // interrupted, state saved: run again with --resume to continue exactly
  interrupted = 130,  // SIGINT before a save was possible
  terminated = 143,   // SIGTERM before a save was possible
};

// Describes a failure for the user. Empty members are left out. what() is "where: found …, expected
// …", followed by "  hint: …" on a line of its own.
struct Diagnostic {
  std::string where;     // file:line:column, JSON pointer, plugin ID or path
  std::string found;     // what was there
  std::string expected;  // what would have been correct
  std::string hint;      // what the user can do now
};

// Has default visibility because the program catches what the shared objects of the runtime throw.
class __attribute__((visibility("default"))) Error : public std::runtime_error {
 public:
  Error(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}
  Error(Exit exit, const Diagnostic& diagnostic);

  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

// Throws an Error with the diagnostic that these parts make.
[[noreturn]] void fail(Exit exit, const std::string& where, const std::string& found,
                       const std::string& expected, const std::string& hint = "");

}  // namespace broch::base
