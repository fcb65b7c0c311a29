// interval_test.cpp: how often progress is printed under batch systems.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "base/plain_interval.hpp"

namespace {

double interval(const std::map<std::string, std::string>& variables) {
  for (const char* name : {"BROCH_PROGRESS_REFRESH", "SLURM_JOB_NUM_NODES", "OMPI_COMM_WORLD_SIZE"})
    unsetenv(name);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  const double seconds = broch::base::plain_interval();
  for (const auto& [name, value] : variables) unsetenv(name.c_str());
  return seconds;
}

}  // namespace

// Source: tensorpack utils/utils.py, _pick_tqdm_interval.
TEST_CASE("interval: without a terminal, by the batch system and by the user's own word") {
  CHECK(interval({}) == 180);
  CHECK(interval({{"SLURM_JOB_NUM_NODES", "1"}}) == 15);
  CHECK(interval({{"SLURM_JOB_NUM_NODES", "2"}}) == 60);
  CHECK(interval({{"OMPI_COMM_WORLD_SIZE", "4"}}) == 60);
  CHECK(interval({{"SLURM_JOB_NUM_NODES", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}) == 15);
  CHECK(interval({{"BROCH_PROGRESS_REFRESH", "0.5"}, {"SLURM_JOB_NUM_NODES", "2"}}) == 0.5);
}

TEST_CASE("interval: what is no number of seconds is refused") {
  for (const char* word : {"often", "-1", "nan", "0,5", "60 s"}) {
    CAPTURE(word);
    CHECK_THROWS_WITH_AS(interval({{"BROCH_PROGRESS_REFRESH", word}}),
                         doctest::Contains("expected seconds, 0 or more"), broch::base::Error);
  }
  CHECK(interval({{"BROCH_PROGRESS_REFRESH", "0"}}) == 0);
  CHECK(interval({{"BROCH_PROGRESS_REFRESH", ""}}) == 180);  // as if it were not set
}
