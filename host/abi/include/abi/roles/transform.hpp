// transform.hpp: a plugin in the role transform.
#pragma once
#include <cstdint>

#include "abi/roles/role.hpp"
#include "broch/role/transform.h"

namespace broch::abi {

class PointNotes;

class Transform : public RoleOf<broch_transform> {
 public:
  static Transform make(Instance& instance) { return Transform(instance); }

  uint32_t flags() const { return table_.flags; }  // BROCH_TRANSFORM_…
  // Fills out from in, and empties in. key: that of the point. Any thread, also at the same time.
  void apply(uint64_t key, broch_point in, broch_point out);

 private:
  explicit Transform(Instance& instance);
  const PointNotes* notes_;
  uint64_t seed_;  // the same on all ranks
};

}  // namespace broch::abi
