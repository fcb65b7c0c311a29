// nan_guard.cpp: ends the run with exit code 6 at the first step in which a watched value is not
// finite.
#include <broch/broch.hpp>
#include <cmath>

namespace {

struct Options {
  std::vector<std::string> names;

  static constexpr auto schema =
      broch::options(broch::option("names", &Options::names, "Scalars to watch in every step.")
                         .min_items(1)
                         .by_default("cost"));
};

class NanGuard final : public broch::Callback {
 public:
  NanGuard(const broch::Host& host, const Options& options)
      : run_(host), checkpoints_(host), names_(options.names) {}

  void setup_graph() override {
    for (const std::string& name : names_) fetches_.push_back(run_.fetch(name));
  }

  void after_run(broch_run run) override {
    for (size_t i = 0; i < names_.size(); ++i)
      if (const auto value = run_.scalar(run, fetches_[i]); value && !std::isfinite(*value))
        throw broch::Error(BROCH_E_NUMBERS,
                           names_[i] + " is " +
                               (std::isnan(*value) ? "nan" : std::to_string(*value)) +
                               " at global_step " + std::to_string(run_.progress().global_step) +
                               ", expected a finite number; " + advice() +
                               "; if the data of this step have numbers that are not finite, such "
                               "as missing ones, which 'broch data show' shows, replace them");
  }

 private:
  std::string advice() const {
    const std::string change = "lower the learning rate or clip gradients and ";
    if (has_checkpoint())
      return "the newest checkpoint is older than this step: " + change + "resume from it";
    return "there is no checkpoint in the log folder: " + change +
           "start again, with a callback that saves, such as model-saver, to resume from next time";
  }
  // Also where one could not be saved, which the log tells.
  bool has_checkpoint() const {
    try {
      return checkpoints_.latest().has_value();
    } catch (const broch::Error&) {
      return true;
    }
  }

  broch::Run run_;
  broch::Checkpoints checkpoints_;
  std::vector<std::string> names_;
  std::vector<uint32_t> fetches_;
};

}  // namespace

BROCH_CALLBACK(NanGuard, "broch.callback.nan-guard", "1.0.0",
               "Ends the run at the first step in which a watched value is not finite.",
               Options::schema, broch::produces())
