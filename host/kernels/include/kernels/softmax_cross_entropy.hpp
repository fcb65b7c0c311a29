// softmax_cross_entropy.hpp: log softmax over rows, and the cross entropy of class numbers.
//
// Rows are contiguous and `row` elements apart. Every function works on the rows it is given, so
// that threads take parts of a batch. NaN and infinities spread as in the plain formulas.
// Rounding: exponentials within 1 ulp, sums in an order of our own; level fast only.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct Logits {
  const float* data = nullptr;  // (rows, classes)
  int64_t rows = 0, classes = 0, row = 0;
};

struct Targets {
  const int64_t* data = nullptr;  // (rows), each 0 <= t < classes or the ignored number
  int64_t ignored = -100;
};

// Sums over rows: those of several threads are added, then the mean is loss / counted.
struct CrossEntropySums {
  double loss = 0;
  int64_t counted = 0;  // rows that are not ignored
};

int64_t counted_rows(const Targets& targets, int64_t rows) noexcept;

// The loss; log_sums(rows) = log(sum(exp(logits))) for the backward pass.
CrossEntropySums cross_entropy(const Logits& logits, const Targets& targets,
                               float* log_sums) noexcept;

// gradient(rows, classes), d_row apart = scale * (softmax - one-hot), zero in ignored rows;
// scale = output_gradient / counted. May overwrite the logits.
void cross_entropy_backward(const Logits& logits, const Targets& targets, const float* log_sums,
                            float scale, float* gradient, int64_t d_row) noexcept;

// Both in one pass, with one exponential an element; the scale is known beforehand through
// counted_rows().
CrossEntropySums cross_entropy_with_gradient(const Logits& logits, const Targets& targets,
                                             float scale, float* gradient, int64_t d_row) noexcept;

// out(rows, classes) = logits - log(sum(exp(logits))); may overwrite the logits.
void log_softmax(const Logits& logits, float* out, int64_t out_row) noexcept;

// gradient = output_gradient - exp(output) * sum(output_gradient); `output` is what log_softmax()
// wrote. The three have rows `output.row` apart; the gradient may overwrite the output gradient.
void log_softmax_backward(const Logits& output, const float* output_gradient,
                          float* gradient) noexcept;

}  // namespace broch::kernels
