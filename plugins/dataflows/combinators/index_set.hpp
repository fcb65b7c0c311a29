// index_set.hpp: some of the numbers below a limit, in ascending order.
//
// It takes two bits for each number below the limit: one says whether the number is in the set; and
// for every 64 numbers, there is the count of those in the set before them.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace broch::dataflows {

class IndexSet {
 public:
  explicit IndexSet(uint64_t limit = 0) : bits_(limit / 64 + 1) {}

  void insert(uint64_t number) { bits_[number / 64] |= uint64_t{1} << number % 64; }
  // Called after the last insert.
  void count() {
    before_.clear();
    size_ = 0;
    for (const uint64_t bits : bits_) {
      before_.push_back(size_);
      size_ += uint64_t(std::popcount(bits));
    }
  }

  uint64_t size() const { return size_; }
  // place: below size().
  uint64_t operator[](uint64_t place) const {
    const auto word =
        size_t(std::upper_bound(before_.begin(), before_.end(), place) - before_.begin() - 1);
    uint64_t bits = bits_[word];
    for (uint64_t left = place - before_[word]; left > 0; --left) bits &= bits - 1;
    return word * 64 + uint64_t(std::countr_zero(bits));
  }

 private:
  std::vector<uint64_t> bits_, before_;
  uint64_t size_ = 0;
};

}  // namespace broch::dataflows
