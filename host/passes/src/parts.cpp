// parts.cpp: divides work among threads. They are those of LibTorch's operators, so that the calls
// of a program do not compete for processors with the threads that the call before left waiting.
#include "parts.hpp"

#include <ATen/Parallel.h>

#ifndef INTRA_OP_PARALLEL
#error "Without -fopenmp, at::parallel_for of LibTorch's headers uses one thread and says nothing."
#endif

namespace broch::passes {
namespace {

// The number of parts that are worthwhile for this much work, from 1 to the number of threads.
int64_t parts_for(double work) {
  // For less work it costs more to wake another thread than it saves.
  constexpr double kWorthIt = 2e6;
  return std::clamp<int64_t>(static_cast<int64_t>(work / kWorthIt), 1, at::get_num_threads());
}

}  // namespace

Parts::Parts(int64_t items_, double work, int64_t step) : items(items_) {
  const int64_t threads = std::clamp<int64_t>(items, 1, parts_for(work));
  const int64_t share = std::max<int64_t>((items + threads - 1) / threads, 1);
  each = (share + step - 1) / step * step;
  count = (items + each - 1) / each;
}

void in_parallel(int64_t count, double cost, const std::function<void(int64_t, int64_t)>& body) {
  Parts(count, static_cast<double>(count) * cost).run([&](int64_t begin, int64_t end, int64_t) {
    body(begin, end);
  });
}

void each_part(int64_t count, const std::function<void(int64_t)>& body) {
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) body(part);
  });
}

}  // namespace broch::passes
