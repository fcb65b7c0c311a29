// call_tape.hpp: what a call of a tower function does, for those who want to know.
#pragma once
#include <span>
#include <string_view>

#include "runtime/backend.hpp"
#include "runtime/variables.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// Its functions are called in the order of the events, on the thread of the call. Tensors that are
// not kept may be freed, and their addresses used again.
class CallTape {
 public:
  virtual ~CallTape() = default;
  // The tensors with which the call begins, in the order of the signature.
  virtual void input(const Tensor& /* value */) {}
  // The call reads a variable for the first time.
  virtual void variable(const Variable& /* variable */, const Tensor& /* value */) {}
  virtual void constant(const Tensor& /* value */) {}
  // An operator has run. Arguments and results contain pointers (Tensor::impl), which are borrowed.
  virtual void called(const runtime::Operator* op, std::span<const broch_value> arguments,
                      std::span<const broch_value> results) = 0;
  // From now on another tensor has the elements of this one: what a function with a derivative of
  // its own returns, or where gradients begin.
  virtual void same(const Tensor& /* from */, const Tensor& /* to */) {}
  // Something has computed tensors without operators: "kernel 'sort'".
  virtual void foreign(std::string_view /* what */) {}
  // The call looks at the elements of a tensor: "item".
  virtual void read(std::string_view /* how */) {}
  virtual void published(std::string_view name, const Tensor& value) = 0;
};

}  // namespace broch::tower
