// plain_interval.hpp: how often progress is printed where there is no terminal.
#pragma once
#include <cstdlib>

namespace broch::base {

// In seconds: BROCH_PROGRESS_REFRESH, otherwise the values that tensorpack chose for batch systems.
inline double plain_interval() {
  if (const char* seconds = std::getenv("BROCH_PROGRESS_REFRESH")) return std::atof(seconds);
  if (const char* nodes = std::getenv("SLURM_JOB_NUM_NODES")) return std::atoi(nodes) > 1 ? 60 : 15;
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) return 60;
  return 180;
}

}  // namespace broch::base
