// checkpoint_variables.hpp: copies variables to the tensors of a file and back.
#pragma once
#include <string>
#include <vector>

#include "runtime/variables.hpp"
#include "session/checkpoints.hpp"
#include "store/checkpoint.hpp"

namespace broch::session {

// Owns the bytes of all variables; the views in contents refer to them.
class VariableBytes {
 public:
  VariableBytes(const runtime::VariableStore& variables, store::CheckpointContents& contents);

 private:
  std::vector<std::vector<std::byte>> bytes_;
};

// Copies a saved tensor into a variable. Throws base::Error (checkpoint) if shape or dtype differ.
void load_exactly(runtime::Backend& backend, const store::TensorView& saved,
                  runtime::Variable& variable, const std::string& where);
// The same, but adapts the tensor: reshapes it if the number of elements is equal, converts between
// float types, widens integers. Returns false, after a warning, if the number of elements differs;
// throws base::Error (checkpoint) if the dtype cannot be converted.
bool load_relaxed(runtime::Backend& backend, const store::TensorView& saved,
                  runtime::Variable& variable, const std::string& where);

// Whether this is an optimizer's slot, an average or a counter. If one is missing, there is no
// warning.
bool is_training_name(const std::string& name);

}  // namespace broch::session
