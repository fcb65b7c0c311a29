// point_setter.hpp: base class of the callbacks that set a hyper-parameter to a value that depends
// on the point of the training alone: the number of epochs, or of steps, that have finished.
#pragma once
#include <broch/broch.hpp>

namespace broch::callbacks {

struct PointOptions : HyperParamOptions {
  bool step_based;

  static constexpr auto schema = options(
      HyperParamOptions::schema,
      option("step_based", &PointOptions::step_based, "Points are global steps instead of epochs.")
          .by_default(false));
};

class PointSetter : public HyperParamSetter {
 public:
  PointSetter(const Host& host, const PointOptions& options)
      : HyperParamSetter(host, options), step_based_(options.step_based) {}

  void before_train() override {
    if (!run().progress().resumed) trigger();  // otherwise the restored value is kept
  }
  void trigger() override {
    if (const std::optional<double> value = value_at(point())) set(*value);
  }
  void trigger_epoch() override {
    if (!step_based_) trigger();
  }
  void trigger_step() override {
    if (step_based_) trigger();
  }

  // The value that is set after this point, 0 being before training. No value: nothing is set.
  virtual std::optional<double> value_at(int64_t point) const = 0;

 protected:
  bool is_step_based() const { return step_based_; }
  int64_t point() const {
    return step_based_ ? run().progress().global_step : run().progress().epoch_num;
  }
  bool is_before_training() const {
    return run().progress().epoch_num < run().progress().starting_epoch;
  }
  // The point at which the training ends.
  int64_t end() const {
    const broch_progress& now = run().progress();
    if (!step_based_) return now.max_epoch;
    const int64_t of_epoch = is_before_training() ? 0 : now.steps_per_epoch - 1 - now.local_step;
    return now.global_step + of_epoch + (now.max_epoch - now.epoch_num) * now.steps_per_epoch;
  }

 private:
  bool step_based_;
};

}  // namespace broch::callbacks
