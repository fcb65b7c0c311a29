// hyper_param_setter.hpp: base class of the callbacks that set a hyper-parameter. tensorpack:
// `HyperParamSetter`.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

#include "host.hpp"
#include "hyper_param.hpp"
#include "options.hpp"
#include "roles.hpp"
#include "run.hpp"

namespace broch {
inline namespace v0 {

// The options of such a callback begin with this one: derive from it, and begin the schema with
// HyperParamOptions::schema.
struct HyperParamOptions {
  std::string param;

  static constexpr auto schema =
      options(option("param", &HyperParamOptions::param,
                     "Name of a hyper-parameter, of a variable with one element, or, as "
                     "INSTANCE/OPTION, of an option that can be changed during a run.")
                  .min_length(1));
};

// A derived class calls set where it decides to, usually in trigger. If it overrides setup_graph,
// it calls that of this class.
class HyperParamSetter : public Callback {
 public:
  HyperParamSetter(const Host& host, const HyperParamOptions& options)
      : host_(host), run_(host), hyper_param_(host), param_(options.param) {}

  void setup_graph() override { current(); }  // fails here if there is no such parameter

 protected:
  const Host& host() const { return host_; }
  const Run& run() const { return run_; }
  const std::string& param() const { return param_; }
  double current() const { return hyper_param_.get(param_); }

  // Logs at most once per epoch, and only if the value differs from the one set before.
  void set(double value) {
    const double before = current();
    hyper_param_.set(param_, value);
    if (last_ && *last_ == value) return;
    const int64_t epoch = run_.progress().epoch_num;
    if (epoch != logged_epoch_) {
      host_.info(change(before, value));
      logged_epoch_ = epoch;
    }
    last_ = value;
  }

 private:
  std::string change(double before, double value) const {
    const std::string start =
        "At global_step=" + std::to_string(run_.progress().global_step) + ", " + param_;
    if (!last_) return start + " is set to " + shown(value);
    return start + " changes from " + shown(before) + " to " + shown(value);
  }
  // With the digits of a float, however small it is.
  static std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.7g", value);
    return text;
  }

  Host host_;
  Run run_;
  HyperParam hyper_param_;
  std::string param_;
  std::optional<double> last_;
  int64_t logged_epoch_ = -1;
};

}  // namespace v0
}  // namespace broch
