// shapes_only.hpp: calls of tower functions that are made only to learn names and shapes.
#pragma once
#include "tower/names.hpp"

namespace broch::tower {

// While an object with active = true lives, host code in towers on this thread is not called and
// its outputs are zeros: setting up a graph must not have side effects.
class ShapesOnly {
 public:
  explicit ShapesOnly(bool active);
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;

  static bool active();

 private:
  bool outer_;
};

}  // namespace broch::tower
