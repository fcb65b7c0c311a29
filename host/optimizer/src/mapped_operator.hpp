// mapped_operator.hpp: an operator call from a manifest that can be executed.
#pragma once
#include "optimizer/operator_call.hpp"
#include "runtime/backend.hpp"

namespace broch::optimizer {

class MappedOperator {
 public:
  // Throws base::Error for a schema that the backend does not have.
  MappedOperator(runtime::Backend& backend, OperatorCall call);
  const OperatorCall& call() const { return call_; }
  // A tensor that no argument uses may be undefined. REQUIRES: the operator has one result.
  runtime::Tensor operator()(const runtime::Tensor& gradient,
                             const runtime::Tensor& variable) const;

 private:
  runtime::Backend& backend_;
  OperatorCall call_;
  runtime::Operator* operator_;
};

}  // namespace broch::optimizer
