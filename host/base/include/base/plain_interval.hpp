// plain_interval.hpp: how often progress is printed where no line is drawn again.
#pragma once
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::base {

// In seconds: BROCH_PROGRESS_REFRESH, otherwise the values that tensorpack chose for batch systems.
// Throws Error (usage).
inline double plain_interval() {
  if (const char* text = std::getenv("BROCH_PROGRESS_REFRESH"); text && *text) {
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (end != text && *end == '\0' && seconds >= 0) return seconds;
    fail(Exit::usage, "BROCH_PROGRESS_REFRESH", quoted(text), "seconds, 0 or more",
         "for example 60, or unset it");
  }
  if (const char* nodes = std::getenv("SLURM_JOB_NUM_NODES")) return std::atoi(nodes) > 1 ? 60 : 15;
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) return 60;
  return 180;
}

}  // namespace broch::base
