// checkpoint_variables.hpp: variables to the tensors of a file and back.
#pragma once
#include <string>
#include <vector>

#include "runtime/variables.hpp"
#include "session/checkpoints.hpp"
#include "store/checkpoint.hpp"

namespace broch::session {

// Bytes of all variables; the views of contents point into it.
class VariableBytes {
 public:
  VariableBytes(const runtime::VariableStore& variables, store::CheckpointContents& contents);

 private:
  std::vector<std::vector<std::byte>> bytes_;
};

// Copies a saved tensor into a variable of the same shape and dtype. Throws base::Error
// (checkpoint).
void load_exactly(runtime::Backend& backend, const store::TensorView& saved,
                  runtime::Variable& variable, const std::string& place);
// The same, adapted: reshaped for equal counts, floats cast, integers widened.
// False, with a warning, when it does not fit.
bool load_relaxed(runtime::Backend& backend, const store::TensorView& saved,
                  runtime::Variable& variable, const std::string& place);

// Names of optimizer slots, averages and counters, which are not reported as missing.
bool is_training_name(const std::string& name);

}  // namespace broch::session
