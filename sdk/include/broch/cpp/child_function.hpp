// child_function.hpp: children that compute a number.
#pragma once
#include <optional>
#include <string>

#include "child.hpp"

namespace broch {
inline namespace v0 {

// An option that is a function: an expression or a component of role function. The caller cannot
// tell which.
class ChildFunction {
 public:
  using Role = RoleOf<broch_function>;
  ChildFunction() = default;  // no child: nothing else may be called
  ChildFunction(const Host& host, const std::string& pointer)
      : host_(host), child_(host, pointer) {}
  // value: the value that the result will replace. No result: change nothing. Throws StopTraining
  // if the function asks for it.
  std::optional<double> call(const broch_progress& now, double value) const {
    broch_function_args args{};
    args.struct_size = sizeof args;
    args.epoch_num = now.epoch_num;
    args.local_step = now.local_step;
    args.global_step = now.global_step;
    args.value = value;
    double result = 0;
    const broch_status status = host_.check(child_.table->call(child_.self, &args, &result));
    if (status == BROCH_STOP) throw StopTraining("a function asked for it");
    if (status == BROCH_NONE) return std::nullopt;
    return result;
  }

 private:
  Host host_;
  Child<broch_function> child_;
};

}  // namespace v0
}  // namespace broch
