// moments.hpp: means and covariances of many rows of numbers, one after the other. The result does
// not depend on how the rows are divided into batches.
#pragma once
#include <cstddef>
#include <vector>

namespace broch::inferencers {

class Moments {
 public:
  // rows: of so many numbers each, the same number in each call.
  void add(const std::vector<double>& rows, size_t width) {
    for (size_t at = 0; at + width <= rows.size() && width > 0; at += width) add(&rows[at], width);
  }
  size_t samples() const { return samples_; }
  size_t width() const { return first_.size(); }
  double mean(size_t i) const { return first_[i] + sums_[i] / double(samples_); }
  // (width, width), row-major; of at least two samples.
  std::vector<double> covariance() const {
    const size_t n = width();
    std::vector<double> matrix(n * n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j)
        matrix[i * n + j] = matrix[j * n + i] =
            (products_[i * n + j] - sums_[i] * sums_[j] / double(samples_)) / double(samples_ - 1);
    return matrix;
  }

 private:
  // Distances from the first row, so that large means take no digits from the products.
  void add(const double* row, size_t n) {
    if (samples_++ == 0) {
      first_.assign(row, row + n);
      sums_.assign(n, 0);
      products_.assign(n * n, 0);
    }
    away_.resize(n);
    for (size_t i = 0; i < n; ++i) sums_[i] += away_[i] = row[i] - first_[i];
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) products_[i * n + j] += away_[i] * away_[j];
  }

  size_t samples_ = 0;
  std::vector<double> first_, sums_, products_, away_;
};

}  // namespace broch::inferencers
