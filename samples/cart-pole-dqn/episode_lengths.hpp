// episode_lengths.hpp: how long the pole stayed up in the last episodes.
#pragma once
#include <broch/broch.hpp>
#include <numeric>

namespace cart_pole_dqn {

struct EpisodeLengths {
  std::vector<int64_t> list;  // 100 at most, the oldest first

  void add(int64_t pushes) {
    if (list.size() == 100) list.erase(list.begin());
    list.push_back(pushes);
  }
  // The mean, unless no episode has ended yet.
  void report(const broch::Metrics& metrics) const {
    if (list.empty()) return;
    const double sum = std::accumulate(list.begin(), list.end(), 0.0);
    metrics.put_scalar("episode_length", sum / double(list.size()));
  }
};

}  // namespace cart_pole_dqn
