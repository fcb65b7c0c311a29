// batch_norm_test.cpp: output, statistics and gradients against the formulas in double.
#include "kernels/batch_norm.hpp"

#include <algorithm>

#include "support.hpp"

using namespace broch::kernels;

namespace {

constexpr int64_t kImages = 3, kChannels = 117, kArea = 37, kCount = kImages * kArea;
constexpr int64_t kSize = kCount * kChannels;
constexpr double kEps = 1e-5;
constexpr int64_t kEach = 71;  // pixels of the first of two parts
using Doubles = std::vector<double>;

BatchNormRange part_of(int64_t part) {
  return {part * kEach, std::min((part + 1) * kEach, kCount)};
}

int64_t element(bool last, int64_t channel, int64_t i) {
  const int64_t image = i / kArea, place = i % kArea;
  return last ? (image * kArea + place) * kChannels + channel
              : (image * kChannels + channel) * kArea + place;
}

struct Operands {
  Floats x = random_floats(kSize, 1), dy = random_floats(kSize, 2);
  Floats gamma = random_floats(kChannels, 3), beta = random_floats(kChannels, 4);
};

struct Plain {
  Doubles y = Doubles(kSize), dx = Doubles(kSize);
  Doubles mean = Doubles(kChannels), variance = Doubles(kChannels);
  Doubles d_gamma = Doubles(kChannels), d_beta = Doubles(kChannels);
};

Plain plain(const Operands& with, bool last, bool relu) {
  Plain out;
  for (int64_t c = 0; c < kChannels; ++c) {
    const auto x = [&](int64_t i) { return double{with.x[element(last, c, i)]}; };
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < kCount; ++i) mean += x(i) / kCount;
    for (int64_t i = 0; i < kCount; ++i) variance += (x(i) - mean) * (x(i) - mean) / kCount;
    const double inverse = 1 / std::sqrt(variance + kEps);
    Doubles upstream(kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      const double normal = (x(i) - mean) * inverse, y = normal * with.gamma[c] + with.beta[c];
      out.y[element(last, c, i)] = relu ? std::max(y, 0.0) : y;
      upstream[i] = relu && y <= 0 ? 0 : with.dy[element(last, c, i)];
      out.d_gamma[c] += upstream[i] * normal;
      out.d_beta[c] += upstream[i];
    }
    for (int64_t i = 0; i < kCount; ++i) {
      const double normal = (x(i) - mean) * inverse;
      out.dx[element(last, c, i)] =
          inverse * with.gamma[c] *
          (upstream[i] - out.d_beta[c] / kCount - normal * out.d_gamma[c] / kCount);
    }
    out.mean[c] = mean;
    out.variance[c] = variance;
  }
  return out;
}

Doubles running(double start, const Doubles& values, double factor) {
  Doubles out;
  for (const double value : values) out.push_back(0.8 * start + 0.2 * factor * value);
  return out;
}

// Two threads: planes are divided by channels, pixels in unequal parts.
void forward(const BatchNorm& shape, const BatchNormForward& call, bool last) {
  if (!last) {
    batch_norm(shape, call, {0, 5});
    return batch_norm(shape, call, {5, kChannels});
  }
  Floats memory(4 * kChannels);
  const BatchNormSums moments{memory.data(), 2, kEach};
  for (int64_t part = 0; part < 2; ++part)
    batch_norm_moments(shape, call.x, part_of(part), moments.of(part, kChannels));
  batch_norm_statistics(shape, call, moments);
  for (int64_t part = 0; part < 2; ++part) batch_norm_last(shape, call, part_of(part));
}

void backward(const BatchNorm& shape, const BatchNormBackward& call, bool last) {
  if (!last) {
    batch_norm_backward(shape, call, {0, 5});
    return batch_norm_backward(shape, call, {5, kChannels});
  }
  Floats memory(4 * kChannels);
  const BatchNormSums sums{memory.data(), 2, kEach};
  for (int64_t part = 0; part < 2; ++part)
    batch_norm_gradient_sums(shape, call, part_of(part), sums.of(part, kChannels));
  batch_norm_parameter_gradients(shape, call, sums);
  for (int64_t part = 0; part < 2; ++part)
    batch_norm_last_backward(shape, call, sums.values, part_of(part));
}

void check(bool last, bool relu) {
  const Operands with;
  const Plain expected = plain(with, last, relu);
  Floats y(kSize), dx = with.dy, mean(kChannels), inverse(kChannels), d_gamma(kChannels),
                   d_beta(kChannels), running_mean(kChannels, 0.5f),
                   running_variance(kChannels, 1.0f);
  const BatchNorm shape{kImages, kChannels, kArea, with.gamma.data()};
  forward(shape,
          {with.x.data(), with.beta.data(), static_cast<float>(kEps), relu, y.data(), mean.data(),
           inverse.data(), running_mean.data(), running_variance.data(), 0.2f},
          last);
  BatchNormBackward call{
      dx.data(), with.x.data(),  mean.data(),  inverse.data(), relu ? y.data() : nullptr,
      dx.data(), d_gamma.data(), d_beta.data()};
  backward(shape, call, last);
  if (relu) {
    Floats again = with.dy;
    call.dy = call.dx = again.data();
    call.y = nullptr;
    call.relu = true;
    call.beta = with.beta.data();
    backward(shape, call, last);
    CHECK(again == dx);  // the same bits, without y
  }
  CHECK(difference(y, expected.y) < 1e-5);
  CHECK(difference(mean, expected.mean) < 1e-6);
  CHECK(difference(running_mean, running(0.5, expected.mean, 1)) < 1e-6);
  CHECK(difference(running_variance, running(1, expected.variance, double{kCount} / (kCount - 1))) <
        1e-6);
  CHECK(difference(d_gamma, expected.d_gamma) < 1e-5);
  CHECK(difference(d_beta, expected.d_beta) < 1e-5);
  CHECK(difference(dx, expected.dx) < 1e-5);
}

}  // namespace

TEST_CASE("batch norm: output, statistics and gradients, both layouts, in parts") {
  with_each_isa([] {
    check(false, false);
    check(true, false);
  });
}

TEST_CASE("batch norm: with a rectifier in the same pass") {
  with_each_isa([] {
    check(false, true);
    check(true, true);
  });
}

// Such as a channel whose units are all inactive; LibTorch gives beta, too.
TEST_CASE("batch norm: equal elements with an epsilon of 0 give beta, and no gradient") {
  const Operands with;
  const Floats x(kSize);
  with_each_isa([&] {
    for (const bool last : {false, true}) {
      CAPTURE(last);
      Floats y(kSize, kNaN), dx(kSize, kNaN), mean(kChannels, kNaN), inverse(kChannels, kNaN);
      Floats d_gamma(kChannels, kNaN), d_beta(kChannels, kNaN);
      const BatchNorm shape{kImages, kChannels, kArea, with.gamma.data()};
      BatchNormForward call;
      call.x = x.data();
      call.beta = with.beta.data();
      call.eps = 0;
      call.y = y.data();
      call.mean = mean.data();
      call.inverse = inverse.data();
      forward(shape, call, last);
      BatchNormBackward back;
      back.dy = with.dy.data();
      back.x = x.data();
      back.mean = mean.data();
      back.inverse = inverse.data();
      back.dx = dx.data();
      back.d_gamma = d_gamma.data();
      back.d_beta = d_beta.data();
      backward(shape, back, last);
      int64_t wrong = 0;
      for (int64_t c = 0; c < kChannels; ++c)
        for (int64_t i = 0; i < kCount; ++i) wrong += y[element(last, c, i)] != with.beta[c];
      CHECK(wrong == 0);
      CHECK(difference(dx, Floats(kSize)) == 0);
      CHECK(difference(d_gamma, Floats(kChannels)) == 0);
      CHECK(difference(inverse, Floats(kChannels)) == 0);
    }
  });
}

// The same bits on LibTorch itself: tests/conformance, whose towers with batch norm are recorded.
TEST_CASE("batch norm: exactly, each channel is summed in double from its first element on") {
  const Operands with;
  with_each_isa([&] {
    Floats y(kSize), mean(kChannels), inverse(kChannels), running_mean(kChannels, 0.5f),
        running_variance(kChannels, 2.0f);
    BatchNormForward call{with.x.data(),
                          with.beta.data(),
                          kEps,
                          false,
                          y.data(),
                          mean.data(),
                          inverse.data(),
                          running_mean.data(),
                          running_variance.data(),
                          0.3};
    const BatchNorm shape{kImages, kChannels, kArea, with.gamma.data()};
    batch_norm_exactly(shape, call, {0, 13});  // no multiple of a group
    batch_norm_exactly(shape, call, {13, kChannels});
    int64_t wrong = 0;
    for (int64_t c = 0; c < kChannels; ++c) {
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < kCount; ++i) sum += double{with.x[element(false, c, i)]};
      const auto center = static_cast<float>(sum / kCount);
      for (int64_t i = 0; i < kCount; ++i) {
        const float distance = with.x[element(false, c, i)] - center;
        squares += double{distance * distance};
      }
      const float total = static_cast<float>(squares), count = kCount;
      const auto scale = static_cast<float>(1 / std::sqrt(double{total / count} + kEps));
      const float alpha = scale * with.gamma[c];
      const float beta = std::fma(-center, alpha, with.beta[c]);
      wrong += mean[c] != center || inverse[c] != scale;
      wrong += running_mean[c] != 0.3f * center + (1 - 0.3f) * 0.5f;
      wrong += running_variance[c] !=
               static_cast<float>(double{0.3f} * (total / (count - 1)) + double{(1 - 0.3f) * 2.0f});
      for (int64_t i = 0; i < kCount && exact_batch_norm_is_here(); ++i)
        wrong += y[element(false, c, i)] != std::fma(with.x[element(false, c, i)], alpha, beta);
    }
    CHECK(wrong == 0);
  });
}

namespace {

// The sum of one plane by eight lanes, as LibTorch's vec_reduce_all adds them.
template <class Term>
float eight_lanes(const Term& term) {
  float lane[8];
  for (int64_t i = 0; i < kArea; ++i) lane[i % 8] = i < 8 ? term(i) : lane[i % 8] + term(i);
  for (int half = 4; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
}

}  // namespace

TEST_CASE("batch norm: exactly, gradients are summed by eight lanes and images") {
  const Operands with;
  const Floats mean = random_floats(kChannels, 6), inverse = random_floats(kChannels, 7);
  const Floats y = random_floats(kSize, 8);
  with_each_isa([&] {
    if (!exact_batch_norm_is_here()) return;
    Floats dx = with.dy, d_gamma(kChannels), d_beta(kChannels);
    const BatchNormBackward call{dx.data(), with.x.data(), mean.data(),    inverse.data(),
                                 y.data(),  dx.data(),     d_gamma.data(), d_beta.data()};
    batch_norm_backward_exactly({kImages, kChannels, kArea, with.gamma.data()}, call,
                                {0, kChannels});
    int64_t wrong = 0;
    for (int64_t c = 0; c < kChannels; ++c) {
      const auto dy = [&](int64_t i) {
        return y[element(false, c, i)] <= 0 ? 0 : with.dy[element(false, c, i)];
      };
      const auto distance = [&](int64_t i) { return with.x[element(false, c, i)] - mean[c]; };
      double sum = 0, product = 0;
      for (int64_t n = 0; n < kCount; n += kArea) {
        sum += double{eight_lanes([&](int64_t i) { return dy(n + i); })};
        product += double{eight_lanes([&](int64_t i) { return distance(n + i) * dy(n + i); })};
      }
      wrong += d_beta[c] != static_cast<float>(sum);
      wrong += d_gamma[c] != static_cast<float>(product * double{inverse[c]});
      const float slope = static_cast<float>(product) * inverse[c] * inverse[c] / float{kCount};
      const auto share = static_cast<float>(sum / kCount);
      for (int64_t i = 0; i < kCount; ++i)
        wrong += dx[element(false, c, i)] !=
                 std::fma(-distance(i), slope, dy(i) - share) * inverse[c] * with.gamma[c];
    }
    CHECK(wrong == 0);
  });
}
