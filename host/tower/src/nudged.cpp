// nudged.cpp: copies of variables, each element a little off.
#include "tower/nudged.hpp"

#include <utility>

#include "base/hash.hpp"
#include "base/philox.hpp"

namespace broch::tower {
namespace {

thread_local constinit double size_now = 0;  // 0: they are read as they are

}  // namespace

Nudged::Nudged(double size) : outer_(std::exchange(size_now, size)) {}
Nudged::~Nudged() { size_now = outer_; }

Tensor Nudged::value_of(const Variable& variable, Backend& backend) {
  if (size_now == 0 || variable.dtype != BROCH_FLOAT32) return variable.value;
  Tensor nudged = backend.copy(variable.value, variable.device);
  auto* const values = static_cast<float*>(backend.view(nudged).data);
  base::PhiloxStream random(base::hash64(variable.name), 0);
  // The factor itself would round to 1.
  for (int64_t i = 0; i < variable.shape.elements(); ++i)
    values[i] = float(values[i] * (1 + (random.word() >> 31 ? size_now : -size_now)));
  return nudged;
}

}  // namespace broch::tower
