// class_counts.hpp: how often each class was predicted for each true class.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace broch::inferencers {

class ClassCounts {
 public:
  explicit ClassCounts(bool has_matrix) : has_matrix_(has_matrix) {}

  // Room for so many classes at least. Counts are kept.
  void grow(size_t classes) {
    const size_t old = size();
    if (classes <= old) return;
    for (std::vector<int64_t>* list : {&right_, &predicted_, &actual_}) list->resize(classes);
    if (!has_matrix_) return;
    std::vector<int64_t> wider(classes * classes);
    for (size_t row = 0; row < old; ++row)
      std::copy_n(matrix_.begin() + std::ptrdiff_t(row * old), old,
                  wider.begin() + std::ptrdiff_t(row * classes));
    matrix_ = std::move(wider);
  }
  void add(size_t actual, size_t predicted) {
    right_[actual] += actual == predicted;
    ++actual_[actual];
    ++predicted_[predicted];
    if (has_matrix_) ++matrix_[actual * size() + predicted];
  }

  size_t size() const { return right_.size(); }
  int64_t right(size_t c) const { return right_[c]; }
  int64_t predicted(size_t c) const { return predicted_[c]; }
  int64_t actual(size_t c) const { return actual_[c]; }
  int64_t count(size_t actual, size_t predicted) const {
    return matrix_[actual * size() + predicted];
  }

 private:
  bool has_matrix_;
  std::vector<int64_t> right_, predicted_, actual_;  // for each class
  std::vector<int64_t> matrix_;                      // (true class, predicted class)
};

}  // namespace broch::inferencers
