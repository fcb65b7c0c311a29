// draw_test.cpp: where crops lie, and how often; noise; mixing.
#include "images/crop.hpp"
#include "images/mix.hpp"
#include "images/noise.hpp"
#include "support.hpp"

using namespace images;

namespace {

bool lies_in(cv::Rect region, cv::Size size) {
  return region.x >= 0 && region.y >= 0 && region.width > 0 && region.height > 0 &&
         region.x + region.width <= size.width && region.y + region.height <= size.height;
}

}  // namespace

TEST_CASE("draws: a random crop reaches each place equally often") {
  broch::Draws draws(1);
  std::map<std::pair<int, int>, int> counts;
  for (int i = 0; i < 12000; ++i) {
    const cv::Rect crop = random_crop({12, 9}, {10, 6}, draws);
    REQUIRE(lies_in(crop, {12, 9}));
    ++counts[{crop.x, crop.y}];
  }
  CHECK(counts.size() == 12);
  for (const auto& [place, count] : counts) CHECK(std::abs(count - 1000) < 150);
}

TEST_CASE("draws: a crop that does not fit is refused") {
  broch::Draws draws(1);
  CHECK_THROWS_WITH_AS(random_crop({12, 9}, {13, 6}, draws),
                       "image: found 12x9 pixels (width x height), expected at least the crop's "
                       "13x6; resize or paste before, or crop less",
                       broch::Error);
  CHECK(center_crop({13, 9}, {4, 4}) == cv::Rect(4, 2, 4, 4));
}

TEST_CASE("draws: shapes and areas lie in their ranges") {
  broch::Draws draws(2);
  double least = 1, most = 0;
  for (int i = 0; i < 5000; ++i) {
    const cv::Rect shape = random_shape_crop({30, 20}, {5, 6}, {0, 10}, draws);
    REQUIRE(lies_in(shape, {30, 20}));
    REQUIRE((shape.width >= 5 && shape.height >= 6 && shape.height <= 10));
    const auto area = random_area_crop({300, 200}, {0.08, 1, 0.75, 1.333}, draws);
    REQUIRE(area);
    REQUIRE(lies_in(*area, {300, 200}));
    least = std::min(least, area->area() / 60000.0);
    most = std::max(most, area->area() / 60000.0);
  }
  CHECK(least < 0.09);
  CHECK(most > 0.8);
  CHECK_FALSE(random_area_crop({300, 3}, {1, 1, 0.75, 1.333}, draws));
}

TEST_CASE("draws: the shorter side") {
  CHECK(resized_shortest({640, 480}, 256) == cv::Size(341, 256));
  CHECK(resized_shortest({480, 640}, 256) == cv::Size(256, 341));
  CHECK(resized_shortest({50, 50}, 7) == cv::Size(7, 7));
  CHECK(resized_shortest({65500, 300}, 224) == cv::Size(48907, 224));
  // A row of pixels, which compresses well, would fill the memory.
  CHECK_THROWS_WITH_AS(
      resized_shortest({100'000'000, 1}, 224),
      "image: found 100000000x1 pixels (width x height), expected a longer side of "
      "at most 65535 when the shorter one is 224; crop it before, or leave it out",
      broch::Error);
}

TEST_CASE("draws: noise has the deviation and the shares that were asked for") {
  const cv::Mat gray(200, 200, CV_32FC3, cv::Scalar::all(100));
  cv::Mat to(gray.size(), gray.type());
  broch::Draws draws(3);
  add_gaussian_noise(gray, 5, true, draws, to);
  cv::Scalar mean, deviation;
  cv::meanStdDev(to, mean, deviation);
  CHECK(mean[1] == doctest::Approx(100).epsilon(0.01));
  CHECK(deviation[1] == doctest::Approx(5).epsilon(0.02));
  salt_and_pepper(gray, 0.1, 0.02, draws, to);
  CHECK(cv::countNonZero(to.reshape(1) == 255) / 120000.0 == doctest::Approx(0.1).epsilon(0.05));
  CHECK(cv::countNonZero(to.reshape(1) == 0) / 120000.0 == doctest::Approx(0.02).epsilon(0.1));
}

TEST_CASE("draws: a fill is that which was asked for") {
  broch::Draws draws(6);
  cv::Mat floats(200, 200, CV_32FC1);
  images::fill(floats, 0, 1, draws);
  cv::Scalar mean, deviation;
  cv::meanStdDev(floats, mean, deviation);
  CHECK(mean[0] == doctest::Approx(0).epsilon(0.03));
  CHECK(deviation[0] == doctest::Approx(1).epsilon(0.02));
  images::fill(floats, -2.5, 0, draws);
  CHECK(cv::countNonZero(floats == -2.5) == 40000);

  // Bytes are clipped and rounded towards 0.
  cv::Mat bytes(2, 3, CV_8UC3);
  const std::vector<std::pair<double, int>> cases = {{127.6, 127}, {-1.5, 0}, {0.5, 0}, {300, 255}};
  for (const auto& [value, wanted] : cases) {
    CAPTURE(value);
    images::fill(bytes, value, 0, draws);
    CHECK(cv::countNonZero(bytes.reshape(1) == wanted) == 18);
  }
  images::fill(bytes, 0, 1000, draws);
  CHECK(cv::countNonZero(bytes.reshape(1) == 0) + cv::countNonZero(bytes.reshape(1) == 255) > 9);
}

TEST_CASE("mix: shares are drawn from a beta distribution") {
  broch::Draws draws(4);
  for (const double alpha : {0.001, 0.2, 1.0, 4.0}) {
    double sum = 0, squares = 0;
    constexpr int kCount = 40000;
    for (int i = 0; i < kCount; ++i) {
      const double share = draw_beta(alpha, draws);
      REQUIRE((share >= 0 && share <= 1));
      sum += share;
      squares += share * share;
    }
    const double mean = sum / kCount;
    CHECK(mean == doctest::Approx(0.5).epsilon(0.02));
    const double variance = 0.25 / (2 * alpha + 1);
    CHECK(squares / kCount - mean * mean == doctest::Approx(variance).epsilon(0.03));
  }
}

TEST_CASE("mix: a box, a permutation and a sum") {
  broch::Draws draws(5);
  for (int i = 0; i < 2000; ++i) {
    double lambda = draws.uniform();
    const double drawn = lambda;
    const cv::Rect box = draw_cutmix_box({32, 24}, lambda, draws);
    REQUIRE((box.empty() || lies_in(box, {32, 24})));
    REQUIRE(lambda == doctest::Approx(1 - box.area() / 768.0));
    REQUIRE(lambda >= drawn - 1e-9);
  }
  std::vector<int64_t> order = draw_permutation(50, draws);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int64_t i = 0; i < 50; ++i) CHECK(order[size_t(i)] == i);
  const uint8_t a[] = {0, 200}, b[] = {255, 100};
  uint8_t mixed[2];
  mix_rows(a, b, 2, 0.75, mixed);
  CHECK(int(mixed[0]) == 64);
  CHECK(int(mixed[1]) == 175);
}
