// estimated_time_left.cpp: logs how long the rest of the training will take. tensorpack:
// `EstimatedTimeLeft`.
#include <algorithm>
#include <broch/broch.hpp>
#include <chrono>
#include <deque>

#include "base/text.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  size_t last_k_epochs;
  bool median;

  static constexpr auto schema = broch::options(
      broch::option("last_k_epochs", &Options::last_k_epochs,
                    "Number of recent epochs to estimate from.")
          .minimum(1)
          .by_default(5),
      broch::option("median", &Options::median, "Use the median of their times; false: the mean.")
          .by_default(true));
};

class EstimatedTimeLeft final : public broch::Callback {
 public:
  EstimatedTimeLeft(const broch::Host& host, const Options& options)
      : host_(host), run_(host), options_(options) {}

  // A run that is resumed within an epoch, or after its steps, has only a part of it to measure. So
  // the first epoch after a resume does not count.
  void before_train() override {
    last_ = Clock::now();
    is_part_ = run_.progress().resumed != 0;
  }
  void before_epoch() override {
    const int64_t done = run_.progress().local_step + 1;  // in the previous epoch, unless resumed
    is_part_ = is_part_ || (done > 0 && done < run_.progress().steps_per_epoch);
  }
  void trigger_epoch() override {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> taken = now - std::exchange(last_, now);
    if (std::exchange(is_part_, false)) return;
    epochs_.push_back(taken.count());
    if (epochs_.size() > options_.last_k_epochs) epochs_.pop_front();
    const double left =
        double(run_.progress().max_epoch - run_.progress().epoch_num) * seconds_per_epoch();
    if (left > 0) host_.info("Estimated Time Left: " + broch::base::humanize_seconds(left));
  }

 private:
  double seconds_per_epoch() const {
    std::vector<double> sorted(epochs_.begin(), epochs_.end());
    std::sort(sorted.begin(), sorted.end());
    const size_t n = sorted.size();
    if (options_.median) return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    double sum = 0;
    for (const double seconds : sorted) sum += seconds;
    return sum / double(n);
  }

  broch::Host host_;
  broch::Run run_;
  Options options_;
  Clock::time_point last_{};
  bool is_part_ = false;
  std::deque<double> epochs_;
};

}  // namespace

BROCH_CALLBACK(EstimatedTimeLeft, "broch.callback.estimated-time-left", "1.0.0",
               "Logs how long the rest of training will take.", Options::schema, broch::produces())
