// softmax_cross_entropy.hpp: log softmax of rows, and the cross entropy with class numbers.
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

// The loss, and log_sums(rows) = log(sum(exp(logits))) for the backward pass.
CrossEntropySums cross_entropy(const Logits& logits, const Targets& targets,
                               float* log_sums) noexcept;

// gradient(rows, classes) = scale * (softmax - one_hot), and zero in ignored rows, with scale =
// output_gradient / counted. Its rows are d_row apart. It may overwrite the logits.
void cross_entropy_backward(const Logits& logits, const Targets& targets, const float* log_sums,
                            float scale, float* gradient, int64_t d_row) noexcept;

// Both in one pass with one exponential per element. The scale must be known before: use
// counted_rows().
CrossEntropySums cross_entropy_with_gradient(const Logits& logits, const Targets& targets,
                                             float scale, float* gradient, int64_t d_row) noexcept;

// out(rows, classes) = logits - log(sum(exp(logits))); may overwrite the logits.
void log_softmax(const Logits& logits, float* out, int64_t out_row) noexcept;

// gradient = output_gradient - exp(output) * sum(output_gradient), where `output` was written by
// log_softmax(). The rows of all three are `output.row` apart. The gradient may overwrite the
// output gradient.
void log_softmax_backward(const Logits& output, const float* output_gradient,
                          float* gradient) noexcept;

}  // namespace broch::kernels
