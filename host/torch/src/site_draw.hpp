// site_draw.hpp: one call of a random operator with the draws of its site.
#pragma once
#include <ATen/core/function_schema.h>

#include <span>
#include <string>

#include "compiler/draw.hpp"
#include "names.hpp"
#include "operators.hpp"

namespace broch::libtorch {

// The argument that is the generator; -1: the operator has none.
int generator_argument(const c10::FunctionSchema& schema);

// Lives while the operator runs.
class SiteDraw {
 public:
  // generator: see above; that argument is set.
  SiteDraw(Draws& draws, const std::string& name, int generator, std::span<c10::IValue> arguments);

 private:
  ActiveDraw active_;
  Draw draw_;
  DrawScope scope_;
};

}  // namespace broch::libtorch
