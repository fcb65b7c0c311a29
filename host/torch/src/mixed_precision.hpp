// mixed_precision.hpp: whether operators of this thread compute in bfloat16 where that is precise
// enough.
#pragma once
#include "names.hpp"
#include "runtime/backend.hpp"

namespace broch::libtorch {

// Switches LibTorch's autocast for the CPU on or off until the end of the scope. Casts are not
// kept: the gradients of a variable that is used several times are then added in float32.
class MixedPrecision final : public StepGuard {
 public:
  explicit MixedPrecision(bool on);
  ~MixedPrecision() override;
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

  static bool is_on();

 private:
  bool on_before_, enabled_before_, cache_before_;
};

}  // namespace broch::libtorch
