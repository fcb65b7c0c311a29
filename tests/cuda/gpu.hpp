// gpu.hpp: trainings on GPUs, and on the CPU to compare them with.
#pragma once
#include "cli_harness/cli_harness.hpp"

namespace broch::test_cuda {

using cli_harness::Folder;
using cli_harness::Json;
using cli_harness::Training;
using cli_harness::Values;

inline constexpr const char* kGpu = "cuda:0";

// Whether this machine has so many GPUs, by the program's own word.
bool has_gpus(int count);
inline bool has_gpu() { return has_gpus(1); }
// Whether they are those of simulated/.
bool is_simulated();

// The digits sample without dropout, whose draws differ from device to device.
Json digits(const Json& devices, int64_t steps = 4);
Json towers(const std::string& trainer, const Json& devices);

// The checkpoint of that step; empty, and the test has failed, if the training did not end well.
Values trained(const Json& manifest, int64_t step, const std::vector<std::string>& words = {});
// At the end of the training.
double cost(const Json& manifest);
// Two epochs have the same bits when they are trained again, with a resume in between.
void check_repeats(Json manifest);
// Equal but for rounding.
void check_alike(const Values& found, const Values& expected);

}  // namespace broch::test_cuda
