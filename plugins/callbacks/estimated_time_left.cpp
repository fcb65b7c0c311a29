// estimated_time_left.cpp: logs how long the rest of the training will take. tensorpack:
// `EstimatedTimeLeft`.
#include <algorithm>
#include <broch/broch.hpp>
#include <chrono>
#include <deque>

#include "base/text.hpp"

namespace {

using Clock = std::chrono::steady_clock;

class EstimatedTimeLeft final : public broch::Callback {
 public:
  explicit EstimatedTimeLeft(const broch::Host& host) : host_(host), run_(host) {
    const broch::Config config(host);
    last_k_ = size_t(config.integer("/last_k_epochs"));
    median_ = config.boolean("/median");
  }

  void before_train() override { last_ = Clock::now(); }
  void trigger_epoch() override {
    const Clock::time_point now = Clock::now();
    epochs_.push_back(std::chrono::duration<double>(now - last_).count());
    last_ = now;
    if (epochs_.size() > last_k_) epochs_.pop_front();
    const double left =
        double(run_.progress().max_epoch - run_.progress().epoch_num) * seconds_per_epoch();
    if (left > 0) host_.info("Estimated Time Left: " + broch::base::humanize_seconds(left));
  }

 private:
  double seconds_per_epoch() const {
    std::vector<double> sorted(epochs_.begin(), epochs_.end());
    std::sort(sorted.begin(), sorted.end());
    const size_t n = sorted.size();
    if (median_) return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    double sum = 0;
    for (const double seconds : sorted) sum += seconds;
    return sum / double(n);
  }

  broch::Host host_;
  broch::Run run_;
  size_t last_k_;
  bool median_;
  Clock::time_point last_{};
  std::deque<double> epochs_;
};

}  // namespace

BROCH_COMPONENT_MORE(EstimatedTimeLeft, "broch.callback.estimated-time-left", "callback", "1.0.0",
                     "Logs how long the rest of training will take.", R"("produces": [])", R"({
  "type": "object",
  "properties": {
    "last_k_epochs": {"type": "integer", "minimum": 1, "default": 5,
                      "description": "Number of recent epochs to estimate from."},
    "median": {"type": "boolean", "default": true, "description": "Use the median of their times; false: the mean."}
  },
  "additionalProperties": false
})")
