// nudged.hpp: shows how much a step depends on rounding.
#pragma once
#include "runtime/variables.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// While it exists, tower calls on this thread read trainable variables of float32 whose elements
// are larger or smaller by this relative size; which of both depends on the names of the variables.
// The variables themselves do not change. On the CPU.
class Nudged {
 public:
  explicit Nudged(double size);
  ~Nudged();
  Nudged(const Nudged&) = delete;
  Nudged& operator=(const Nudged&) = delete;

  // What a tower call reads.
  static Tensor value_of(const Variable& variable, Backend& backend);

 private:
  double outer_;
};

}  // namespace broch::tower
