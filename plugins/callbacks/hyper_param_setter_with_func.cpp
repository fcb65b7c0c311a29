// hyper_param_setter_with_func.cpp: sets a hyper-parameter to the result of a function of the
// progress and of its current value. tensorpack: `HyperParamSetterWithFunc`.
//
// A resumed run keeps the restored value until the first trigger; otherwise a function of the old
// value would be applied twice.
#include <broch/broch.hpp>

namespace {

struct Options : broch::HyperParamOptions {
  broch::ChildFunction func;

  static constexpr auto schema = broch::options(
      HyperParamOptions::schema,
      broch::option("func", &Options::func,
                    "Evaluated before training and on each trigger; `value` in it is the current "
                    "value. If the function has no value, nothing changes."));
};

class HyperParamSetterWithFunc final : public broch::HyperParamSetter {
 public:
  HyperParamSetterWithFunc(const broch::Host& host, const Options& options)
      : HyperParamSetter(host, options), func_(options.func) {}

  void before_train() override {
    if (!run().progress().resumed) trigger();
  }
  void trigger() override {
    if (const auto value = func_.call(run().progress(), current())) set(*value);
  }

 private:
  broch::ChildFunction func_;
};

}  // namespace

BROCH_CALLBACK(HyperParamSetterWithFunc, "broch.callback.hyper-param-setter-with-func", "1.0.0",
               "Sets a hyper-parameter to the value of a function.", Options::schema,
               broch::produces("{param}"), broch::run_on("all"))
