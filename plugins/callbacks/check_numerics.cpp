// check_numerics.cpp: ends the run with exit code 6 when a weight or a published value is not
// finite. tensorpack: `CheckNumerics`.
#include <cmath>

#include "published_names.hpp"

namespace {

struct Options {
  std::vector<std::string> published;
  bool run_as_trigger, run_step;

  static constexpr auto schema = broch::options(
      broch::option(
          "published", &Options::published,
          "Regular expressions for whole published names that are checked as well: in the "
          "last step of each epoch, with run_step in each step.")
          .by_default(),
      broch::option("run_as_trigger", &Options::run_as_trigger,
                    "Check on each trigger; before training is a check in any case.")
          .by_default(true),
      broch::option("run_step", &Options::run_step, "Check after each step.").by_default(false));
};

class CheckNumerics final : public broch::Callback {
 public:
  CheckNumerics(const broch::Host& host, const Options& options)
      : host_(host), run_(host), data_(host), variables_(host), scopes_(host), options_(options) {
    broch::callbacks::check_patterns("/published", options.published);
  }

  void setup_graph() override {
    trainable_ = variables_.list(BROCH_VARIABLE_TRAINABLE);
    broch::callbacks::add_published(host_, "/published", options_.published, names_);
    for (const std::string& name : names_) fetches_.push_back(run_.fetch(name));
  }
  void before_train() override { check(); }
  void trigger() override {
    if (options_.run_as_trigger) check();
  }
  uint64_t before_run(broch_run, uint64_t fetches) override {
    const bool is_last = options_.run_as_trigger && run_.is_last_step();
    return options_.run_step || is_last ? fetches : 0;
  }
  void after_run(broch_run run) override {
    for (size_t i = 0; i < names_.size(); ++i)
      if (const auto value = run_.value(run, fetches_[i])) check(names_[i], *value);
  }
  void trigger_step() override {
    if (options_.run_step) check();
  }

 private:
  void check() const {
    const broch::Scope scope = scopes_.open();
    for (const broch_variable variable : trainable_)
      check(variables_.info(variable).name, variables_.value(variable));
  }
  void check(const std::string& name, broch_tensor tensor) const {
    int64_t wrong = 0;
    for (const double value : data_.doubles(tensor)) wrong += !std::isfinite(value);
    if (wrong == 0) return;
    throw broch::Error(BROCH_E_NUMBERS,
                       std::to_string(wrong) + " elements of " + name +
                           " are not finite at global_step " +
                           std::to_string(run_.progress().global_step) +
                           "; the newest checkpoint may be older than this step: lower the "
                           "learning rate or clip gradients and resume from it");
  }

  broch::Host host_;
  broch::Run run_;
  broch::TensorData data_;
  broch::Variables variables_;
  broch::Scopes scopes_;
  Options options_;
  std::vector<broch_variable> trainable_;
  std::vector<std::string> names_;
  std::vector<uint32_t> fetches_;
};

}  // namespace

BROCH_CALLBACK(CheckNumerics, "broch.callback.check-numerics", "1.0.0",
               "Ends the run when a weight or a published value is not finite.", Options::schema,
               broch::produces())
