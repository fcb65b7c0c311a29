// part.hpp: parts of the program that are opened on demand, since they need libraries of their own.
#pragma once

namespace broch::base {

struct Part {
  const char* file;      // in <prefix>/lib/broch, if the program is <prefix>/bin/broch
  const char* function;  // the one that it exports
  // For errors: what it is, and what to do if it cannot be opened.
  const char *expected, *hint;
};

// Opens the part, which is never closed, because libraries keep threads and data until the process
// ends. Returns its function. Throws Error (Exit::plugin).
void* open_part(const Part& part);

}  // namespace broch::base
