// function.hpp: an expression of the manifest as a component of role function.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "broch/role/function.h"
#include "manifest/expression.hpp"

namespace broch::session {

class Function {
 public:
  // The latest value of a metric; nothing when there is none: the function then has no value.
  using Stat = std::function<std::optional<double>(const std::string& name)>;

  Function(manifest::Expression expression, Stat stat)
      : expression_(std::move(expression)), stat_(std::move(stat)) {}

  // BROCH_OK with *result, BROCH_NONE or BROCH_STOP.
  broch_status call(const broch_function_args& args, double* result) const;
  // self is a Function.
  static const broch_function* table();

 private:
  manifest::Expression expression_;
  Stat stat_;
};

}  // namespace broch::session
