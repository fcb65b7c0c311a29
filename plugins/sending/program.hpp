// program.hpp: another program, which gets a text and has so much time.
#pragma once
#include <string>
#include <vector>

namespace broch::sending {

struct Ran {
  int code = 0;                // exit code; 128 + n after signal n
  bool too_slow = false;       // it did not end in time, and was ended
  std::string output, errors;  // what it wrote, each cut after some kilobytes
};

// Starts words[0], which is searched in PATH, without a shell. input is what it reads; extra is
// what it reads from descriptor 3. It is ended after so many seconds, with the processes that it
// started. Throws Error if it cannot be started.
Ran run_program(const std::vector<std::string>& words, const std::string& input,
                const std::string& extra, double seconds);

// Whether PATH has a program of this name.
bool has_program(const std::string& name);

}  // namespace broch::sending
