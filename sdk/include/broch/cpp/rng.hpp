// rng.hpp: random numbers outside tower functions.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// Random numbers outside tower functions. The same stream and index always give the same numbers;
// see ext/rng.h.
class Rng {
 public:
  Rng(const Host& host, std::string stream)
      : host_(host),
        table_(host.require<broch_host_rng>(BROCH_EXT_RNG)),
        stream_(std::move(stream)) {}

  std::vector<uint64_t> bits(uint64_t index, size_t n) const {
    std::vector<uint64_t> words(n);
    host_.check(table_->bits(host_.c(), stream_.c_str(), index, words.data(), n));
    return words;
  }
  std::vector<double> uniform(uint64_t index, size_t n) const {
    std::vector<double> values(n);
    host_.check(table_->uniform(host_.c(), stream_.c_str(), index, values.data(), n));
    return values;
  }
  std::vector<double> normal(uint64_t index, size_t n) const {
    std::vector<double> values(n);
    host_.check(table_->normal(host_.c(), stream_.c_str(), index, values.data(), n));
    return values;
  }
  std::vector<uint64_t> below(uint64_t index, uint64_t bound, size_t n) const {
    std::vector<uint64_t> values(n);
    host_.check(table_->below(host_.c(), stream_.c_str(), index, bound, values.data(), n));
    return values;
  }
  std::vector<uint64_t> permutation(uint64_t index, size_t n) const {
    std::vector<uint64_t> order(n);
    host_.check(table_->permutation(host_.c(), stream_.c_str(), index, order.data(), n));
    return order;
  }

 private:
  Host host_;
  const broch_host_rng* table_;
  std::string stream_;
};

}  // namespace v0
}  // namespace broch
