// normalize_test.cpp: crop-flip-normalize against its definition, element by element.
#include "images/normalize.hpp"

#include <broch/cpp/draws.hpp>

#include "support.hpp"

using namespace images;

namespace {

cv::Mat noise(int rows, int cols, int channels, uint64_t seed) {
  cv::Mat image(rows, cols, CV_8UC(channels));
  broch::Draws draws(seed);
  for (int y = 0; y < rows; ++y)
    for (int i = 0; i < cols * channels; ++i) image.ptr(y)[i] = uint8_t(draws.bits());
  return image;
}

float defined(const cv::Mat& image, int y, int x, int c, uint8_t outside,
              const Normalization& normal) {
  const bool is_inside = y >= 0 && x >= 0 && y < image.rows && x < image.cols;
  const uint8_t value = is_inside ? image.ptr(y)[x * image.channels() + c] : outside;
  return float(value) * normal.scale[size_t(c)] + normal.shift[size_t(c)];
}

}  // namespace

TEST_CASE("normalize: each element is as defined") {
  broch::Draws draws(7);
  for (int round = 0; round < 300; ++round) {
    const int channels = int(draws.integer(1, 4));
    const cv::Mat image =
        noise(int(draws.integer(1, 40)), int(draws.integer(1, 40)), channels, uint64_t(round));
    const cv::Rect window(int(draws.integer(-6, 6)), int(draws.integer(-6, 6)),
                          int(draws.integer(1, 44)), int(draws.integer(1, 44)));
    const bool mirrored = draws.chance(0.5), planes = draws.chance(0.5);
    const Normalization normal({120.5}, {63, 62, 66, 70}, 4);
    std::vector<uint8_t> planar;
    for (int c = 0; c < channels; ++c)
      for (int y = 0; y < image.rows; ++y)
        for (int x = 0; x < image.cols; ++x) planar.push_back(image.ptr(y)[x * channels + c]);
    std::vector<float> result(size_t(window.area() * channels));
    crop_flip_normalize(
        planes ? view_of_planes(planar.data(), channels, image.size()) : view_of(image), window,
        mirrored, 9, normal, result.data());
    size_t i = 0;
    int wrong = 0;
    for (int c = 0; c < channels; ++c)
      for (int y = 0; y < window.height; ++y)
        for (int x = 0; x < window.width; ++x) {
          const int column = mirrored ? window.width - 1 - x : x;
          wrong += result[i++] != defined(image, window.y + y, window.x + column, c, 9, normal);
        }
    CAPTURE(round);
    CHECK(wrong == 0);
  }
}

TEST_CASE("normalize: a list that fits neither all nor each channel is refused") {
  CHECK_THROWS_WITH_AS(Normalization({0, 0}, {1}, 3),
                       "mean: found 2 numbers, expected 1 or one for each of the 3 channels; "
                       "correct the list",
                       broch::Error);
}
