// parts.hpp: the work of a kernel, divided among the threads of `runtime.threads`.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>

namespace broch::passes {

// Calls body(begin, end) for parts of [0, count), in several threads if there is enough work.
// `cost` is the number of floating-point operations for each element of count.
void in_parallel(int64_t count, double cost, const std::function<void(int64_t, int64_t)>& body);

// Work on `items`, divided into parts at multiples of `step`. work: floating-point operations.
struct Parts {
  int64_t items, each, count;
  Parts(int64_t items, double work, int64_t step = 1);
  // Calls body(begin, end, part) for each part, in several threads.
  template <class Body>
  void run(const Body& body) const;
};

// Calls body(0) to body(count - 1), in several threads.
void each_part(int64_t count, const std::function<void(int64_t)>& body);

template <class Body>
void Parts::run(const Body& body) const {
  if (count == 1) return body(0, items, 0);
  each_part(count,
            [&](int64_t part) { body(part * each, std::min(items, (part + 1) * each), part); });
}

}  // namespace broch::passes
