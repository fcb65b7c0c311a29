// softmax_cross_entropy_test.cpp: losses and gradients against sums in double.
#include "kernels/softmax_cross_entropy.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

struct Case {
  int64_t rows, classes, row;
  Floats logits;
  std::vector<int64_t> numbers;
  Logits view() const { return {logits.data(), rows, classes, row}; }
  Targets targets() const { return {numbers.data()}; }
};

Case make(int64_t rows, int64_t classes) {
  Case made{rows, classes, classes + 2, random_floats(rows * (classes + 2)), {}};
  for (int64_t i = 0; i < rows; ++i) made.numbers.push_back(i % 5 == 3 ? -100 : (i * 7) % classes);
  return made;
}

double plain_log_sum(const Case& with, int64_t i) {
  double sum = 0;
  for (int64_t j = 0; j < with.classes; ++j) sum += std::exp(double{with.logits[i * with.row + j]});
  return std::log(sum);
}

double plain_loss(const Case& with) {
  double loss = 0;
  for (int64_t i = 0; i < with.rows; ++i) {
    if (with.numbers[i] < 0) continue;
    loss += plain_log_sum(with, i) - with.logits[i * with.row + with.numbers[i]];
  }
  return loss;
}

std::vector<double> plain_gradient(const Case& with, double scale) {
  std::vector<double> gradient(static_cast<size_t>(with.rows * with.classes));
  for (int64_t i = 0; i < with.rows; ++i) {
    for (int64_t j = 0; j < with.classes && with.numbers[i] >= 0; ++j) {
      const double share = std::exp(with.logits[i * with.row + j] - plain_log_sum(with, i));
      gradient[i * with.classes + j] = scale * (share - (j == with.numbers[i]));
    }
  }
  return gradient;
}

}  // namespace

TEST_CASE("cross entropy: loss and gradient of every width, ignored rows left out") {
  with_each_isa([&] {
    for (const int64_t classes : {1, 2, 10, 16, 33, 96}) {
      CAPTURE(classes);
      const Case with = make(11, classes);
      CHECK(counted_rows(with.targets(), 11) == 9);
      Floats gradient(11 * classes);
      const CrossEntropySums sums =
          cross_entropy_with_gradient(with.view(), with.targets(), 0.3f, gradient.data(), classes);
      CHECK(sums.counted == 9);
      CHECK(std::abs(sums.loss - plain_loss(with)) < 1e-5);
      CHECK(difference(gradient, plain_gradient(with, 0.3)) < 1e-6);
    }
  });
}

TEST_CASE("cross entropy: large logits do not overflow and NaN spreads over its row") {
  with_each_isa([&] {
    Case with = make(2, 20);
    with.numbers = {4, 5};
    with.logits[4] = 1e4f;
    Floats gradient(40);
    CrossEntropySums sums =
        cross_entropy_with_gradient(with.view(), with.targets(), 1, gradient.data(), 20);
    CHECK(std::isfinite(sums.loss));
    CHECK(gradient[4] == 0);
    with.logits[with.row + 19] = kNaN;
    sums = cross_entropy_with_gradient(with.view(), with.targets(), 1, gradient.data(), 20);
    CHECK(std::isnan(sums.loss));
    for (int64_t j = 20; j < 40; ++j) CHECK(std::isnan(gradient[j]));
    CHECK(gradient[0] == 0);
  });
}

TEST_CASE("cross entropy: large logits take no digits from the loss") {
  with_each_isa([&] {
    const Case with{1, 2, 2, {10000.0f, 9999.0f}, {0}};
    Floats gradient(2);
    const CrossEntropySums sums =
        cross_entropy_with_gradient(with.view(), with.targets(), 1, gradient.data(), 2);
    CHECK(std::abs(sums.loss - std::log1p(std::exp(-1.0))) < 1e-6);
  });
}

TEST_CASE("cross entropy: no rows, no loss") {
  with_each_isa([&] {
    const CrossEntropySums sums =
        cross_entropy_with_gradient({nullptr, 0, 10, 10}, {}, 1, nullptr, 10);
    CHECK(sums.loss == 0);
    CHECK(sums.counted == 0);
  });
}
