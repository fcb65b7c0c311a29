// shapes_only.hpp: computing for names and shapes, when a graph is set up.
#pragma once
#include "tower/names.hpp"

namespace broch::tower {

// As long as one lives with active = true, host code in towers that this thread computes is not
// called and gives zeros: nothing may change by setting up.
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
