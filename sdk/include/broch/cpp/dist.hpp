// dist.hpp: what callbacks and trainers do together with the other ranks.
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// Communication between ranks. An instance must make the same calls in the same order on all ranks;
// see ext/dist.h.
class Dist {
 public:
  explicit Dist(const Host& host)
      : host_(host), table_(host.require<broch_host_dist>(BROCH_EXT_DIST)) {
    host_.check(table_->ranks(host_.c(), &rank_, &world_, &local_rank_));
  }

  uint32_t rank() const { return rank_; }
  uint32_t world() const { return world_; }
  uint32_t local_rank() const { return local_rank_; }

  // Element by element over all ranks. mode: BROCH_REDUCE_…. The number of values must be the same
  // on all ranks.
  std::vector<double> all_reduce(std::vector<double> values, int32_t mode) const {
    host_.check(table_->all_reduce(host_.c(), values.data(), uint32_t(values.size()), mode));
    return values;
  }
  double mean(double value) const { return all_reduce({value}, BROCH_REDUCE_MEAN)[0]; }
  // The values of all ranks, in the order of ranks, behind each other. Their number must be the
  // same on all ranks.
  template <class T>
  std::vector<T> all_gather(const std::vector<T>& mine) const {
    static_assert(std::is_trivially_copyable_v<T>, "only plain bytes travel between ranks");
    std::vector<T> all(mine.size() * world_);
    host_.check(table_->all_gather(host_.c(), mine.data(), mine.size() * sizeof(T), all.data()));
    return all;
  }
  // The bytes of rank root. bytes must have the same size on all ranks.
  std::string broadcast(std::string bytes, uint32_t root = 0) const {
    host_.check(table_->broadcast(host_.c(), bytes.data(), bytes.size(), root));
    return bytes;
  }
  void barrier() const { host_.check(table_->barrier(host_.c())); }

 private:
  Host host_;
  const broch_host_dist* table_;
  uint32_t rank_ = 0, world_ = 1, local_rank_ = 0;
};

}  // namespace v0
}  // namespace broch
