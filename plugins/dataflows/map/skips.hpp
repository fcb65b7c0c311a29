// skips.hpp: the points that map leaves out because their data are damaged.
#pragma once
#include <broch/broch.hpp>
#include <mutex>
#include <set>

namespace dataflows {

// Usable on all threads.
class Skips {
 public:
  Skips(const broch::Host& host, uint64_t most) : host_(host), most_(most) {}

  // Notes that a point is left out, once per index and round. what: which one, for the message.
  // Throws error again if it is no damage of data, or if there are too many.
  void add(const broch::Position& position, const std::string& what, const broch::Error& error) {
    if (error.status() != BROCH_E_DATA_LOSS) throw error;
    std::lock_guard<std::mutex> lock(mutex_);
    if (position.round > round_) {
      round_ = position.round;
      indices_.clear();
    }
    if (!indices_.insert(position.index).second) return;
    if (indices_.size() > most_)
      throw broch::Error(error.status(), std::string(error.what()) +
                                             "; more points of this round are damaged than "
                                             "max_errors, which is " +
                                             std::to_string(most_));
    host_.warning("skipped " + what + ", " + std::to_string(indices_.size()) + " of at most " +
                  std::to_string(most_) + " in a round: " + error.what());
  }

  // Reads the point at a position, or if it is damaged, the next one of the round that is not;
  // behind the last one, index 0 follows. So the round keeps its length, and a point does not
  // depend on those that were read before. read(position): false: the round ends before it.
  template <class Read>
  bool replace(const broch::Position& position, Read&& read) {
    broch::Position at = position;
    for (std::optional<broch::Error> last;;) {
      try {
        if (read(at)) return true;
        if (!last) return false;
        at.index = 0;
      } catch (const broch::Cancelled&) {
        throw;
      } catch (const broch::Error& error) {
        add(at,
            "the point at index " + std::to_string(at.index) + " of round " +
                std::to_string(at.round),
            error);
        last = error;
        ++at.index;
      }
      if (at.index == position.index) throw *last;
    }
  }

 private:
  broch::Host host_;
  uint64_t most_;
  std::mutex mutex_;
  uint64_t round_ = 0;
  std::set<uint64_t> indices_;  // those left out in this round
};

}  // namespace dataflows
