// played.hpp: what has been played so far.
#pragma once
#include <broch/broch.hpp>
#include <mutex>
#include <numeric>
#include <sstream>

namespace a3c {

class Played {
 public:
  void add_frame() {
    const std::lock_guard lock(mutex_);
    ++frames_;
  }
  void add_episode(double score) {
    const std::lock_guard lock(mutex_);
    ++episodes_;
    if (last_.size() == kLast) last_.erase(last_.begin());
    last_.push_back(score);
  }
  uint64_t frames() const {
    const std::lock_guard lock(mutex_);
    return frames_;
  }
  void report(const broch::Metrics& metrics) const {
    const std::lock_guard lock(mutex_);
    metrics.put_scalar("frames", double(frames_));
    metrics.put_scalar("episodes", double(episodes_));
    if (last_.empty()) return;
    const double sum = std::accumulate(last_.begin(), last_.end(), 0.0);
    metrics.put_scalar("episode_score", sum / double(last_.size()));
  }

  std::string save() const {
    const std::lock_guard lock(mutex_);
    std::ostringstream text;
    text << frames_ << ' ' << episodes_;
    for (const double score : last_) text << ' ' << score;
    return text.str();
  }
  void load(const std::string& saved) {
    const std::lock_guard lock(mutex_);
    std::istringstream text(saved);
    last_.clear();
    if (!(text >> frames_ >> episodes_))
      throw broch::Error(BROCH_E_DATA_LOSS, "the saved state of the players is cut off");
    for (double score; text >> score;) last_.push_back(score);
  }

 private:
  static constexpr size_t kLast = 100;

  mutable std::mutex mutex_;
  uint64_t frames_ = 0, episodes_ = 0;
  std::vector<double> last_;  // scores, the oldest first
};

}  // namespace a3c
