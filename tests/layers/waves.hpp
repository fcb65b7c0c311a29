// waves.hpp: the data points of these tests: x (3, 5, 4) and ids (3, 5), a function of their
// number.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

namespace broch::layers_test {

inline constexpr int64_t kRows = 3, kSteps = 5, kWidth = 4, kIds = 6, kPoints = 4;

inline std::vector<float> wave(int64_t point) {
  std::vector<float> x(kRows * kSteps * kWidth);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(std::sin(0.7 * double(i) + 1.3 * double(point)));
  return x;
}
inline std::vector<int64_t> ids(int64_t point) {
  std::vector<int64_t> ids(kRows * kSteps);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = (int64_t(i) * 5 + point) % kIds;
  return ids;
}

}  // namespace broch::layers_test
