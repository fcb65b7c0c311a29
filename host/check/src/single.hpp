// single.hpp: one test.
#pragma once
#include "check/check.hpp"
#include "ground.hpp"

namespace broch::check {

// Runs the test and sends the verdict to the parent. Once per process.
void run_single(Ground& ground, const Job& job);

}  // namespace broch::check
