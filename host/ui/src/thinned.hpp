// thinned.hpp: fewer points of a curve that look the same.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace broch::ui {

// The places of at most `most` values, ascending: the first and the last one, and of each part of
// the rest the smallest and the largest one, and one that is NaN. most: at least 8.
std::vector<size_t> thinned(std::span<const double> values, size_t most);

}  // namespace broch::ui
