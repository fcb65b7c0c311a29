// expression_fuzz.cpp: any bytes as an option that is a function: a number, a stop or an Error.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "manifest/expression.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace broch::manifest;
  try {
    const Expression expression(Value(std::string(reinterpret_cast<const char*>(data), size)));
    Expression::Context context;
    context.epoch_num = 3;
    context.value = -0.5;
    context.stat = [](const std::string& name) { return static_cast<double>(name.size()); };
    const auto first = expression.evaluate(context), second = expression.evaluate(context);
    if (first.has_value() != second.has_value()) __builtin_trap();
    if (first && *first != *second && *first == *first) __builtin_trap();  // NaN is not itself
    expression.stats();
  } catch (const broch::base::Error&) {
  }
  return 0;
}
