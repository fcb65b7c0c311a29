// function.cpp: evaluates an expression with the counters of the run.
#include "session/function.hpp"

namespace broch::session {
namespace {

struct NoValue {};

}  // namespace

broch_status Function::call(const broch_function_args& args, double* result) const {
  manifest::Expression::Context context;
  context.epoch_num = double(args.epoch_num);
  context.local_step = double(args.local_step);
  context.global_step = double(args.global_step);
  context.value = args.value;
  context.stat = [this](const std::string& name) {
    const std::optional<double> latest = stat_(name);
    if (!latest) throw NoValue{};
    return *latest;
  };
  try {
    const std::optional<double> value = expression_.evaluate(context);
    if (!value) return BROCH_STOP;
    *result = *value;
    return BROCH_OK;
  } catch (const NoValue&) {
    return BROCH_NONE;
  }
}

const broch_function* Function::table() {
  static const broch_function table = {
      sizeof(broch_function), 0,
      [](void* self, const broch_function_args* args, double* result) -> broch_status {
        return static_cast<const Function*>(self)->call(*args, result);
      }};
  return &table;
}

}  // namespace broch::session
