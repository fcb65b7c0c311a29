// max_pool_test.cpp: largest elements, their places and their gradients, in both layouts.
#include "kernels/max_pool.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

constexpr int64_t kImages = 2;

struct Pooled {
  Floats y, dx;
  std::vector<int64_t> indices;
};

int64_t in_size(const MaxPool& shape) { return shape.channels * shape.height * shape.width; }
int64_t out_size(const MaxPool& shape) {
  return shape.channels * shape.out_height * shape.out_width;
}
int64_t element(const MaxPool& shape, int64_t channel, int64_t place, int64_t places) {
  return shape.channels_last ? place * shape.channels + channel : channel * places + place;
}

Pooled plain(const MaxPool& shape, const Floats& x, const Floats& dy) {
  Pooled out{Floats(kImages * out_size(shape)), Floats(x.size()), {}};
  out.indices.resize(out.y.size());
  const int64_t places = shape.height * shape.width, spots = shape.out_height * shape.out_width;
  for (int64_t n = 0; n < kImages * shape.channels * spots; ++n) {
    const int64_t image = n / (shape.channels * spots), channel = n / spots % shape.channels;
    const int64_t spot = n % spots,
                  at = image * out_size(shape) + element(shape, channel, spot, spots);
    float largest = -kInfinity;
    int64_t chosen = -1;
    for (int64_t i = 0; i < shape.kernel_h * shape.kernel_w; ++i) {
      const int64_t y = spot / shape.out_width * shape.stride_h - shape.pad_h + i / shape.kernel_w;
      const int64_t z = spot % shape.out_width * shape.stride_w - shape.pad_w + i % shape.kernel_w;
      if (y < 0 || z < 0 || y >= shape.height || z >= shape.width) continue;
      const int64_t place = y * shape.width + z;
      const float value = x[image * in_size(shape) + element(shape, channel, place, places)];
      if (chosen >= 0 && !(value > largest || std::isnan(value))) continue;
      largest = value;
      chosen = place;
    }
    out.y[at] = largest;
    out.indices[at] = chosen;
    out.dx[image * in_size(shape) + element(shape, channel, chosen, places)] += dy[at];
  }
  return out;
}

Floats ties(int64_t size) {
  Floats x = random_floats(size);
  for (float& value : x) value = std::round(value);
  x[size / 2] = kNaN;
  x[size / 3] = -kInfinity;
  return x;
}

void check(const MaxPool& shape) {
  const Floats x = ties(kImages * in_size(shape));
  const Floats dy = random_floats(kImages * out_size(shape), 2);
  const Pooled expected = plain(shape, x, dy);
  Pooled found{Floats(dy.size()), Floats(x.size(), kNaN), std::vector<int64_t>(dy.size())};
  for (int64_t image = 0; image < kImages; ++image) {
    max_pool(shape, x.data(), found.y.data(), found.indices.data(), image, image + 1);
    max_pool_backward(shape, dy.data(), found.indices.data(), found.dx.data(), image, image + 1);
  }
  CHECK(difference(found.y, expected.y) == 0);
  CHECK(found.indices == expected.indices);
  CHECK(difference(found.dx, expected.dx) < 1e-6);
}

}  // namespace

TEST_CASE("max pool: two by two, and windows that overlap and reach over the edge") {
  with_each_isa([] {
    for (const bool last : {false, true}) {
      check({5, 8, 6, 2, 2, 2, 2, 0, 0, 4, 3, last});
      check({19, 7, 9, 2, 2, 2, 2, 0, 0, 3, 4, last});
      check({18, 7, 6, 3, 3, 2, 2, 1, 1, 4, 3, last});
      check({3, 6, 5, 3, 2, 1, 3, 1, 0, 6, 2, last});
    }
  });
}
