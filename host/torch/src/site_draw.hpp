// site_draw.hpp: gives one call of a random operator the key for its place in the tower call.
#pragma once
#include <ATen/core/function_schema.h>

#include <span>
#include <string>

#include "compiler/draw.hpp"
#include "names.hpp"
#include "operators.hpp"

namespace broch::libtorch {

// The index of the argument that is a generator, or -1.
int generator_argument(const c10::FunctionSchema& schema);

// Must exist while the operator runs.
class SiteDraw {
 public:
  // `generator` is the index from above; this argument is set.
  SiteDraw(Draws& draws, const std::string& name, int generator, std::span<c10::IValue> arguments);

 private:
  ActiveDraw active_;
  Draw draw_;
  DrawScope scope_;
};

}  // namespace broch::libtorch
