// announced.hpp: a thread that a plugin started and announced.
#pragma once
#include <string>

#include "abi/thread.hpp"
#include "broch/host.h"

namespace broch::abi {

// It has its own copies of the names, because the thread may outlive the instance if the plugin
// makes a mistake.
struct Announced : Breadcrumb {
  std::string name;
  std::string label;
  std::string file;
  const broch_host* host = nullptr;
};

// Whether this thread was ever announced: a plugin started it. Safe in a signal handler.
bool was_announced();

}  // namespace broch::abi
