// hyper_param_setter.hpp: base class of the callbacks that set a hyper-parameter. tensorpack:
// `HyperParamSetter`.
#pragma once
#include <broch/broch.hpp>
#include <cstdio>
#include <string>

namespace broch::callbacks {

struct HyperParamOptions {
  std::string param;

  static constexpr auto schema =
      options(option("param", &HyperParamOptions::param,
                     "Name of a hyper-parameter, of a variable with one element, or, as "
                     "INSTANCE/OPTION, of an option that can be changed during a run.")
                  .min_length(1));
};

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
      char text[256];
      if (!last_)
        std::snprintf(text, sizeof text, "At global_step=%lld, %s is set to %.6f",
                      (long long)run_.progress().global_step, param_.c_str(), value);
      else
        std::snprintf(text, sizeof text, "At global_step=%lld, %s changes from %.6f to %.6f",
                      (long long)run_.progress().global_step, param_.c_str(), before, value);
      host_.info(text);
      logged_epoch_ = epoch;
    }
    last_ = value;
  }

 private:
  Host host_;
  Run run_;
  HyperParam hyper_param_;
  std::string param_;
  std::optional<double> last_;
  int64_t logged_epoch_ = -1;
};

}  // namespace broch::callbacks
