// batch.hpp: requests that are computed together.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

#include "model.hpp"

namespace broch::serve {

using Clock = std::chrono::steady_clock;

// A request that waits for its results.
struct Job {
  Model* model = nullptr;
  InferRequest request;
  int64_t rows = 1;  // of the batch; 1 if the model cannot join requests
  Clock::time_point arrived, deadline;
  // One of them is called, once, on any thread. If it throws, the request gets no answer.
  std::function<void(InferRequest, Outputs)> done;
  std::function<void(const Refusal&)> failed;
};

void fail(const Job& job, const Refusal& refusal) noexcept;
Refusal too_late();

// The size that is computed instead of this one: the next number of at most two bits that are one,
// so that programs for few sizes are needed: 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, ….
int64_t padded(int64_t rows);

// Computes requests of one model, whose inputs have the same sizes except for the rows. A failure
// of several is tried again one by one, so that only those fail whose data are wrong. most_rows:
// more are not padded.
void compute(std::vector<Job> jobs, int64_t most_rows, const std::atomic<bool>& stop);

}  // namespace broch::serve
