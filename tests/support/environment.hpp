// environment.hpp: numbers that whoever runs the tests may set.
#pragma once
#include <cstdint>
#include <cstdlib>

namespace broch {

inline int64_t from_environment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

}  // namespace broch
