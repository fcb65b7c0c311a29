// thinned.cpp: divides the values into parts of the same length.
#include "thinned.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace broch::ui {
namespace {

constexpr size_t kPerPart = 3;
constexpr size_t kNone = SIZE_MAX;

void add_part(std::span<const double> values, size_t begin, size_t end, std::vector<size_t>& to) {
  size_t smallest = kNone, largest = kNone, gap = kNone;
  for (size_t i = begin; i < end; ++i) {
    if (std::isnan(values[i])) {
      if (gap == kNone) gap = i;
      continue;
    }
    if (smallest == kNone || values[i] < values[smallest]) smallest = i;
    if (largest == kNone || values[i] > values[largest]) largest = i;
  }
  size_t chosen[kPerPart] = {smallest, largest, gap};
  std::sort(std::begin(chosen), std::end(chosen));
  for (const size_t one : chosen)
    if (one != kNone && (to.empty() || to.back() != one)) to.push_back(one);
}

}  // namespace

std::vector<size_t> thinned(std::span<const double> values, size_t most) {
  std::vector<size_t> places;
  if (values.size() <= most) {
    for (size_t i = 0; i < values.size(); ++i) places.push_back(i);
    return places;
  }
  const bool has_gaps = std::ranges::any_of(values, [](double one) { return std::isnan(one); });
  const size_t inner = values.size() - 2;
  const size_t parts = std::max<size_t>(1, (most - 2) / (has_gaps ? kPerPart : 2));
  places.push_back(0);
  for (size_t part = 0; part < parts; ++part)
    add_part(values, 1 + inner * part / parts, 1 + inner * (part + 1) / parts, places);
  places.push_back(values.size() - 1);
  return places;
}

}  // namespace broch::ui
