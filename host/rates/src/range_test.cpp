// range_test.cpp: sets the rate before each step, and takes the loss after it.
#include "rates/range_test.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "session/run.hpp"

namespace broch::rates {
namespace {

constexpr double kDecay = 0.98, kDiverged = 4;
constexpr size_t kSkippedFirst = 10, kSkippedLast = 1;

class Test {
 public:
  Test(train::Trainer& trainer, const RangeOptions& options)
      : options_(options), hypers_(*trainer.parts().hypers), costs_(trainer.costs()) {
    test_.param = options.param;
    if (!hypers_.has(options.param))
      throw base::Error(
          base::Exit::usage,
          base::Diagnostic{"--param", "no hyper-parameter " + options.param,
                           "one of " + base::join(hypers_.names(), ", "), "choose one of them"});
  }

  // To be called before each step.
  bool enough() {
    take_loss();
    const size_t step = test_.rates.size();
    if (test_.diverged || step == size_t(options_.steps)) return true;
    const double share = double(step) / double(options_.steps - 1);
    test_.rates.push_back(options_.from * std::pow(options_.to / options_.from, share));
    hypers_.set(options_.param, test_.rates.back());
    forget_losses();
    return false;
  }

  RangeTest finish() {
    take_loss();  // if the data ended
    test_.rates.resize(test_.losses.size());
    if (test_.losses.empty())
      throw base::Error(base::Exit::manifest,
                        base::Diagnostic{"/model", "no loss in a step", "a model with a cost",
                                         "lr-find needs a training that minimizes something"});
    test_.suggestion = steepest(test_.smooth);
    return std::move(test_);
  }

 private:
  // The averages of the trainer then begin with the next step, so that they are its loss.
  void forget_losses() {
    auto states = costs_.states();
    for (auto& [name, state] : states) state = {};
    costs_.restore(states);
  }
  void take_loss() {
    const auto values = costs_.values();
    if (test_.losses.size() == test_.rates.size() || values.empty()) return;
    if (values.size() > 1)
      throw base::Error(base::Exit::manifest,
                        base::Diagnostic{"/trainer", std::to_string(values.size()) + " losses",
                                         "one", "lr-find cannot tell which of them counts"});
    const double loss = values.front().second;
    average_ += (1 - kDecay) * (loss - average_);
    test_.losses.push_back(loss);
    test_.smooth.push_back(average_ / (1 - std::pow(kDecay, double(test_.losses.size()))));
    const double smooth = test_.smooth.back();
    // A multiple of a negative loss says nothing.
    test_.diverged = !std::isfinite(smooth) || (smallest_ > 0 && smooth > kDiverged * smallest_);
    smallest_ = std::min(smallest_, smooth);
  }
  // The place of the smallest of the central differences, which are one-sided at both ends. With
  // rates that grow by a factor they are proportional to the derivative by the logarithm.
  static std::optional<size_t> steepest(const std::vector<double>& smooth) {
    if (smooth.size() < kSkippedFirst + kSkippedLast + 2) return std::nullopt;
    const size_t first = kSkippedFirst, last = smooth.size() - kSkippedLast - 1;
    std::optional<size_t> found;
    double least = 0;
    for (size_t i = first; i <= last; ++i) {
      const size_t before = std::max(i, first + 1) - 1, after = std::min(i + 1, last);
      const double slope = (smooth[after] - smooth[before]) / double(after - before);
      if (slope < least) found = i, least = slope;
    }
    return found;
  }

  const RangeOptions& options_;
  runtime::HyperParams& hypers_;
  plan::CostAverages& costs_;
  RangeTest test_;
  double average_ = 0, smallest_ = INFINITY;
};

}  // namespace

RangeTest test_range(const session::Setup& setup, const RangeOptions& options) {
  session::RunOptions run_options;
  run_options.writes = false;
  run_options.all_callbacks = false;
  session::Run run(setup, run_options);
  run.build();
  Test test(run.trainer(), options);
  const base::Exit exit = run.train_until([&] { return test.enough(); });
  if (exit != base::Exit::ok)
    throw base::Error(exit, base::Diagnostic{"lr-find", "ended by a signal", "all steps",
                                             "run the command again"});
  return test.finish();
}

plot::Picture picture_of(const RangeTest& test, const std::string& title) {
  plot::Panel panel{
      "loss",
      {{"one step", test.rates, test.losses, 5, 0}, {"smooth", test.rates, test.smooth, 0, 0}}};
  if (const auto at = test.suggestion)
    panel.series.push_back({"suggestion: " + base::general(test.rates[*at], 3),
                            {test.rates[*at]},
                            {test.smooth[*at]},
                            1,
                            0});
  return {title, test.param, {panel}, true};
}

}  // namespace broch::rates
