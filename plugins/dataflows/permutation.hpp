// permutation.hpp: a pseudo-random order of n numbers that is computed, without a table.
#pragma once
#include <broch/cpp/draws.hpp>
#include <cmath>
#include <utility>

namespace dataflows {

// A permutation of 0 … n - 1 that depends on a key. n is at least 1.
//
// A number x of the rectangle rows × columns, which has at least n cells, is (x / columns,
// x % columns). In turn, each coordinate is shifted by an amount that is drawn from the other one
// (a Feistel network); each shift can be undone, so all of them together are a permutation of the
// rectangle. A result of n or more is put in again until it is below n (cycle walking). Source:
// Black and Rogaway, "Ciphers with arbitrary finite domains", 2002.
//
// Not all orders of few numbers would be equally likely, so these are drawn instead (Fisher and
// Yates).
class Permutation {
 public:
  Permutation(uint64_t n, uint64_t key) : n_(n) {
    broch::Draws draws(key);
    if (n <= kFew) {
      for (uint64_t i = 0; i < n; ++i) few_[i] = uint8_t(i);
      for (uint64_t i = n; i > 1; --i) std::swap(few_[i - 1], few_[draws.below(i)]);
    } else {
      rows_ = uint64_t(std::sqrt(double(n)));
      columns_ = n / rows_ + (n % rows_ != 0 ? 1 : 0);
      for (uint64_t& one : keys_) one = draws.bits();
    }
  }

  // x is below n.
  uint64_t operator()(uint64_t x) const {
    if (n_ <= kFew) return few_[x];
    do x = walk(x);
    while (x >= n_);
    return x;
  }

 private:
  static constexpr uint64_t kFew = 64;
  static constexpr int kShifts = 8;

  uint64_t walk(uint64_t x) const {
    uint64_t row = x / columns_, column = x % columns_;
    for (int i = 0; i < kShifts; i += 2) {
      row = shifted(row, drawn(i, column, rows_), rows_);
      column = shifted(column, drawn(i + 1, row, columns_), columns_);
    }
    return row * columns_ + column;
  }
  // Below bound, which is so much smaller than 2^64 that all results are equally likely.
  uint64_t drawn(int shift, uint64_t x, uint64_t bound) const {
    __extension__ using Wide = unsigned __int128;
    return uint64_t(Wide(broch::Draws(keys_[shift] ^ x).bits()) * bound >> 64);
  }
  static uint64_t shifted(uint64_t x, uint64_t by, uint64_t bound) {
    return x + by < bound ? x + by : x + by - bound;
  }

  uint64_t n_, rows_ = 0, columns_ = 0;
  uint64_t keys_[kShifts] = {};
  uint8_t few_[kFew] = {};
};

}  // namespace dataflows
