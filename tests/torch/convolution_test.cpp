// convolution_test.cpp: a convolution whose gradient oneDNN computes outside of its memory
// (torch/src/convolution.cpp): without the way around it this test ends with a broken heap.
#include "fixture.hpp"

using namespace broch::runtime;

namespace {

constexpr int64_t kBatch = 2, kChannels = 7, kSide = 33, kStride = 3, kOut = 8;

// Small whole numbers, so that sums are exact in any order.
float pixel(int64_t row, int64_t column, int64_t channel) {
  return static_cast<float>((row * 3 + column * 5 + channel * 7) % 4);
}

// (batch, channels, side, side), lying channels last.
Tensor pictures() {
  std::vector<float> values;
  for (int64_t row = 0; row < kBatch * kSide; ++row)
    for (int64_t column = 0; column < kSide; ++column)
      for (int64_t channel = 0; channel < kChannels; ++channel)
        values.push_back(pixel(row % kSide, column, channel));
  const std::vector<int64_t> order{0, 3, 1, 2};
  return call1("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
               {of(floats(values, {kBatch, kSide, kSide, kChannels})), list(order)});
}

double sum_seen(int64_t channel) {
  double sum = 0;
  for (int64_t row = 0; row < kSide; row += kStride)
    for (int64_t column = 0; column < kSide; column += kStride) sum += pixel(row, column, channel);
  return kBatch * sum;
}

}  // namespace

TEST_CASE("convolution: the weight's gradient of one that strides over few channels lying last") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = pictures();
  const std::vector<int64_t> stride{kStride, kStride}, none_of{0, 0}, ones{1, 1};
  for (int i = 0; i < 20; ++i) {
    const Tensor weight =
        backend().leaf(floats(std::vector<float>(kOut * kChannels, 1), {kOut, kChannels, 1, 1}));
    const Tensor y = call1(
        "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
        "SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
        {of(x), of(weight), none(), list(stride), list(none_of), list(ones), of(int64_t{1})});
    const Tensor cost = call1("aten::sum(Tensor self) -> Tensor", {of(y)});
    const std::vector<double> gradient =
        numbers(backend().grad(std::span(&cost, 1), std::span(&weight, 1), {}, false, false)[0]);
    REQUIRE(gradient.size() == kOut * kChannels);
    for (int64_t at = 0; at < kOut * kChannels; ++at)
      CHECK(gradient[static_cast<size_t>(at)] == sum_seen(at % kChannels));
  }
}
