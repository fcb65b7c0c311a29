// scalar_cell.hpp: a 0-dim variable on the CPU in which the host counts. It is read and written
// without making a tensor, and values that are loaded or assigned are visible at once.
#pragma once
#include <string>

#include "runtime/variables.hpp"

namespace broch::runtime {

template <class Number>
class ScalarCell {
 public:
  static_assert(std::is_same_v<Number, int64_t> || std::is_same_v<Number, double>);
  ScalarCell() = default;
  // Creates the variable, or uses the existing one. `flags` are BROCH_VARIABLE_….
  ScalarCell(VariableStore& store, const std::string& name, uint32_t flags,
             const std::string& made_by, const std::string& replica = "") {
    broch_variable_spec spec{};
    spec.struct_size = sizeof spec;
    spec.dtype = std::is_same_v<Number, double> ? BROCH_FLOAT64 : BROCH_INT64;
    spec.flags = flags;
    spec.initializer = BROCH_INIT_CONSTANT;
    variable_ = store.find(name, replica) ? &store.reuse(name, spec, made_by, replica)
                                          : &store.create(name, spec, Device{}, made_by, replica);
    const broch_dl_tensor view = store.backend().view(variable_->value);
    number_ = reinterpret_cast<Number*>(static_cast<char*>(view.data) + view.byte_offset);
  }

  Number get() const { return *number_; }
  void set(Number value) { *number_ = value; }
  Variable& variable() const { return *variable_; }

 private:
  Variable* variable_ = nullptr;
  Number* number_ = nullptr;
};

}  // namespace broch::runtime
