// devices.cpp: reads the list of the GPUs that this process sees.
#include "devices.hpp"

#include <cstdlib>
#include <sstream>

#include "base/error.hpp"

namespace broch::sweep {

std::string visible_device(int64_t number) {
  const char* given = std::getenv(kVisible);
  if (!given) return std::to_string(number);
  std::istringstream list(given);
  std::string name;
  for (int64_t i = 0; i <= number; ++i)
    if (!std::getline(list, name, ','))
      throw base::Error(base::Exit::manifest,
                        {"/devices", "cuda:" + std::to_string(number),
                         std::string("one of the devices in ") + kVisible + "=" + given,
                         "unset it, or name other devices"});
  return name;
}

}  // namespace broch::sweep
