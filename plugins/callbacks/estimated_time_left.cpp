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

  // What comes before the first trigger after a resume does not count: it may be a few steps and
  // all that happens at the end of an epoch.
  void before_train() override {
    last_ = Clock::now();
    place_ = double(run_.progress().epoch_num);
    is_first_after_resume_ = run_.progress().resumed != 0;
  }
  // Usually after each epoch, but "when" may leave epochs out, or call it within one.
  void trigger() override {
    const double place = epochs_done();
    if (place <= place_) return;  // before the training
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> taken = now - std::exchange(last_, now);
    const double epochs = place - std::exchange(place_, place);
    if (std::exchange(is_first_after_resume_, false)) return;
    add({epochs, taken.count()});
    const double left = (double(run_.progress().max_epoch) - place) * seconds_per_epoch();
    if (left > 0) host_.info("Estimated Time Left: " + broch::base::humanize_seconds(left));
  }

 private:
  // Between two triggers, or of several that follow each other within the length of an epoch.
  struct Part {
    double epochs, seconds;
  };

  double epochs_done() const {
    const broch_progress& now = run_.progress();
    if (now.steps_per_epoch == 0) return double(now.epoch_num);
    return double(now.epoch_num - 1) + double(now.local_step + 1) / double(now.steps_per_epoch);
  }

  void add(Part part) {
    if (!parts_.empty() && parts_.back().epochs + part.epochs <= 1) {
      part = {part.epochs + parts_.back().epochs, part.seconds + parts_.back().seconds};
      parts_.pop_back();
    }
    parts_.push_back(part);
    while (sum().epochs - parts_.front().epochs >= double(options_.last_k_epochs))
      parts_.pop_front();
  }
  Part sum() const {
    Part all{};
    for (const Part& part : parts_) all = {all.epochs + part.epochs, all.seconds + part.seconds};
    return all;
  }

  double seconds_per_epoch() const {
    if (!options_.median) return sum().seconds / sum().epochs;
    std::vector<double> sorted;
    for (const Part& part : parts_) sorted.push_back(part.seconds / part.epochs);
    std::sort(sorted.begin(), sorted.end());
    const size_t n = sorted.size();
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  }

  broch::Host host_;
  broch::Run run_;
  Options options_;
  Clock::time_point last_{};
  double place_ = 0;  // what epochs_done() was then
  bool is_first_after_resume_ = false;
  std::deque<Part> parts_;
};

}  // namespace

BROCH_CALLBACK(EstimatedTimeLeft, "broch.callback.estimated-time-left", "1.0.0",
               "Logs how long the rest of training will take.", Options::schema, broch::produces())
