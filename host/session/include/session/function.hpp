// function.hpp: an expression in the manifest, used as a component of role function.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "broch/role/function.h"
#include "manifest/expression.hpp"

namespace broch::session {

class Function {
 public:
  // The latest value of a metric, or nothing; then the function has no value either.
  using Stat = std::function<std::optional<double>(const std::string& name)>;

  Function(manifest::Expression expression, Stat stat)
      : expression_(std::move(expression)), stat_(std::move(stat)) {}

  // Returns BROCH_OK and sets *result, or returns BROCH_NONE or BROCH_STOP.
  broch_status call(const broch_function_args& args, double* result) const;
  // The table's self is a Function.
  static const broch_function* table();

 private:
  manifest::Expression expression_;
  Stat stat_;
};

}  // namespace broch::session
