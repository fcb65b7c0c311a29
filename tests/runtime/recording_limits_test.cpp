// recording_limits_test.cpp: which recording goes when there are too many, or too large ones.
#include "recording_limits.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace broch::runtime;

TEST_CASE("recordings: as many as are allowed stay, of one more the least recently used goes") {
  std::vector<Holding> all;
  for (size_t i = 0; i < kMaxRecordings; ++i) all.push_back({100 - i, 1});
  CHECK_FALSE(one_too_many(all));
  all.push_back({200, 1});
  CHECK(one_too_many(all) == kMaxRecordings - 1);
}

TEST_CASE("recordings: those that take too much memory together go by their last use") {
  constexpr size_t kHalf = kMaxRecordedBytes / 2;
  CHECK_FALSE(one_too_many(std::vector<Holding>{{1, kHalf}, {2, kHalf}}));
  CHECK(one_too_many(std::vector<Holding>{{5, 1}, {3, kHalf}, {4, kHalf}}) == 1);
}

TEST_CASE("recordings: the only one stays, however large it is") {
  CHECK_FALSE(one_too_many(std::vector<Holding>{{1, 2 * kMaxRecordedBytes}}));
  CHECK_FALSE(one_too_many({}));
}
