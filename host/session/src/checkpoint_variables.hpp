// checkpoint_variables.hpp: copies variables to the tensors of a file and back.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "runtime/variables.hpp"
#include "session/checkpoints.hpp"
#include "store/checkpoint.hpp"

namespace broch::session {

// Owns the bytes of variables; the views in contents refer to them. flags: only variables with one
// of them, and no LOCAL ones; 0: all.
class VariableBytes {
 public:
  VariableBytes(const runtime::VariableStore& variables, store::CheckpointContents& contents,
                uint32_t flags = 0);

 private:
  std::vector<std::vector<std::byte>> bytes_;
};

// Copies a saved tensor into a variable. Throws base::Error (checkpoint) if shape or dtype differ.
void load_exactly(runtime::Backend& backend, const store::TensorView& saved,
                  runtime::Variable& variable, const std::string& where);

// The dtype that a variable has in a file. Throws base::Error (checkpoint) if files have none for
// it.
store::Dtype dtype_of(const runtime::Variable& variable);
// Elements of a file, as many as the variable has, on the variable's device and with its shape.
runtime::Tensor to_tensor(runtime::Backend& backend, store::Dtype dtype,
                          std::span<const std::byte> bytes, const runtime::Variable& variable);

}  // namespace broch::session
