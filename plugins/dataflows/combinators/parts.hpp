// parts.hpp: an option that says into which parts points are divided: the number of equal parts,
// the share of each, or the number of points of each.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace broch::dataflows {

// The members of the schema of such an option; its field is a JsonText.
#define BROCH_PARTS_SCHEMA                                                                       \
  R"("type": ["integer", "array"], "minimum": 2, "maximum": 1000000, "minItems": 1, "items": {)" \
  R"("type": "number", "exclusiveMinimum": 0})"

class Parts {
 public:
  // pointer: that of the option.
  Parts(const Config& config, const std::string& pointer) : where_(pointer + ": ") {
    if (config.kind(pointer) == BROCH_CONFIG_ARRAY)
      for (uint64_t i = 0, n = config.size(pointer); i < n; ++i)
        sizes_.push_back(config.number(pointer + "/" + std::to_string(i)));
    else
      sizes_.assign(size_t(config.integer(pointer)), 1 / double(config.integer(pointer)));
    total_ = std::accumulate(sizes_.begin(), sizes_.end(), 0.0);
    are_points_ = std::abs(total_ - 1) > kRounding;
    if (are_points_ && !std::ranges::all_of(sizes_, [](double n) { return n == std::floor(n); }))
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  where_ + "found numbers whose sum is " + in_short(total_) +
                      ", expected shares whose sum is 1, or whole numbers of points");
  }

  size_t count() const { return sizes_.size(); }

  // How many of so many points each part has, and, at the end, how many are in no part. The ends of
  // the parts are rounded, not their sizes: so every point is in one part if these are shares.
  std::vector<uint64_t> sizes(uint64_t points) const {
    if (are_points_ && total_ > double(points))
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  where_ + "found " + in_short(total_) + " points in all parts, expected at most " +
                      std::to_string(points) + ", since the dataflow has no more");
    const double scale = are_points_ ? 1 : double(points) / total_;
    std::vector<uint64_t> sizes;
    double sum = 0;
    uint64_t begin = 0;
    for (const double size : sizes_) {
      sum += size;
      const uint64_t end = std::min(points, uint64_t(std::llround(sum * scale)));
      sizes.push_back(end - begin);
      begin = end;
    }
    sizes.push_back(points - begin);
    return sizes;
  }

 private:
  static constexpr double kRounding = 1e-6;  // of shares such as 0.333333 in the manifest

  static std::string in_short(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.7g", number);
    return text;
  }

  std::string where_;  // the option, for messages
  std::vector<double> sizes_;
  double total_ = 0;
  bool are_points_ = false;
};

}  // namespace broch::dataflows
