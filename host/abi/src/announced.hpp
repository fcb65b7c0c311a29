// announced.hpp: a thread that a plugin started and announced.
#pragma once
#include <string>

#include "abi/thread.hpp"
#include "broch/host.h"

namespace broch::abi {

// Keeps its own copies of the names: the thread may outlive the instance by the plugin's mistake.
struct Announced : Breadcrumb {
  std::string name;
  std::string label;
  std::string file;
  const broch_host* host = nullptr;
};

}  // namespace broch::abi
