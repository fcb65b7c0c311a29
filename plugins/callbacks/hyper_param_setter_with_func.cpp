// hyper_param_setter_with_func.cpp: sets a hyper-parameter to the result of a function of the
// progress and of its current value. tensorpack: `HyperParamSetterWithFunc`.
//
// A resumed run keeps the restored value until the first trigger; otherwise a function of the old
// value would be applied twice.
#include "hyper_param_setter.hpp"

namespace {

class HyperParamSetterWithFunc final : public broch::callbacks::HyperParamSetter {
 public:
  explicit HyperParamSetterWithFunc(const broch::Host& host)
      : HyperParamSetter(host), func_(host, "/func") {}

  void before_train() override {
    if (!run().progress().resumed) trigger();
  }
  void trigger() override {
    if (const auto value = func_.call(run().progress(), current())) set(*value);
  }

 private:
  broch::ChildFunction func_;
};

constexpr broch_component kComponents[] = {broch::component<HyperParamSetterWithFunc>(
    "broch.callback.hyper-param-setter-with-func", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [{
  "id": "broch.callback.hyper-param-setter-with-func", "role": "callback", "version": "1.0.0",
  "run_on": "all",
  "summary": "Sets a hyper-parameter to the value of a function.",
  "produces": ["{param}"],
  "options": {
    "type": "object",
    "properties": {
      "param": {"type": "string", "minLength": 1,
                "description": "Name of a hyper-parameter, or of a variable with one element."},
      "func": {"x-broch-function": true,
               "description": "Evaluated before training and on each trigger; `value` in it is the current value. If the function has no value, nothing changes."}
    },
    "required": ["param", "func"],
    "additionalProperties": false
  }}]})")
