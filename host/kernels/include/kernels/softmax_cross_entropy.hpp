// softmax_cross_entropy.hpp: the softmax cross entropy of rows with class numbers.
//
// The elements of a row are contiguous, and rows are `row` elements apart. Each function works on
// the rows that it is given, so threads can divide a batch. NaN and infinities propagate as in the
// formulas.
// Rounding: exponentials are within 1 ulp, and sums are in another order than in LibTorch; only for
// level fast.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct Logits {
  const float* data = nullptr;  // (rows, classes)
  int64_t rows = 0, classes = 0, row = 0;
};

struct Targets {
  const int64_t* data = nullptr;  // (rows), each is 0 <= t < classes or `ignored`
  int64_t ignored = -100;
};

// Sums over rows. Those of several threads are added; then the mean loss is loss / counted.
struct CrossEntropySums {
  double loss = 0;
  int64_t counted = 0;  // rows that are not ignored
};

int64_t counted_rows(const Targets& targets, int64_t rows) noexcept;

// The loss, and gradient(rows, classes) = scale * (softmax - one_hot), or zero in ignored rows,
// with scale = output_gradient / counted; counted_rows() gives the latter before. One pass, with
// one exponential per element. The gradient's rows are d_row apart. It may overwrite the logits.
CrossEntropySums cross_entropy_with_gradient(const Logits& logits, const Targets& targets,
                                             float scale, float* gradient, int64_t d_row) noexcept;

}  // namespace broch::kernels
