// histogram_test.cpp: TensorFlow's buckets, worked out by hand.
#include "store/histogram.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "support.hpp"

using namespace broch::store;
using broch::base::Exit;

TEST_CASE("histogram: moments are exact") {
  const std::vector<float> values{-1, 0, 0.5f, 2};
  const Histogram histogram = histogram_of(values, "h");
  CHECK(histogram.min == -1);
  CHECK(histogram.max == 2);
  CHECK(histogram.num == 4);
  CHECK(histogram.sum == 1.5);
  CHECK(histogram.sum_squares == 5.25);
}

TEST_CASE("histogram: a value lies in the bucket of the first limit above it") {
  const std::vector<float> values{0, 3, 3, -3, 1e-13f};
  const Histogram histogram = histogram_of(values, "h");
  REQUIRE(histogram.bucket.size() == histogram.bucket_limit.size());
  CHECK(std::accumulate(histogram.bucket.begin(), histogram.bucket.end(), 0.0) == 5);
  const auto count_at = [&](double value) {
    size_t i = 0;
    while (histogram.bucket_limit[i] <= value) ++i;
    return histogram.bucket[i];
  };
  CHECK(count_at(0) == 2);  // 0 and 1e-13, below the first limit 1e-12
  CHECK(count_at(3) == 2);
  CHECK(count_at(-3) == 1);
  CHECK(count_at(1) == 0);
  // The limits around 3 are 1e-12 * 1.1^k.
  size_t above = 0;
  while (histogram.bucket_limit[above] <= 3) ++above;
  const double power = std::log(histogram.bucket_limit[above] / 1e-12) / std::log(1.1);
  CHECK(power == doctest::Approx(std::round(power)).epsilon(1e-9));
  CHECK(histogram.bucket_limit[above] / 1.1 <= 3);
}

TEST_CASE("histogram: a run of empty buckets is one") {
  const std::vector<float> values{1};
  const Histogram histogram = histogram_of(values, "h");
  CHECK(histogram.bucket == std::vector<double>{0, 1, 0});
  CHECK(histogram.bucket_limit.back() == std::numeric_limits<double>::max());
}

TEST_CASE("histogram: of nothing is one empty bucket up to the largest double") {
  const Histogram histogram = histogram_of({}, "h");
  CHECK(histogram.num == 0);
  CHECK(histogram.bucket == std::vector<double>{0});
  CHECK(histogram.bucket_limit == std::vector<double>{std::numeric_limits<double>::max()});
}

TEST_CASE("histogram: NaN and infinity are errors that name the summary") {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    const std::vector<float> values{1, bad};
    CHECK(matches(refusal(Exit::numbers, [&] { histogram_of(values, "conv/W"); }),
                  "^histogram 'conv/W': the value (nan|inf), expected finite values"));
  }
}
