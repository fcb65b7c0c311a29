// dealing.hpp: deals places to parts of given sizes, evenly: among any consecutive places, each
// part has its share, up to a few.
//
// The places of a part are due at equal distances, the first one after half a distance. Parts of
// equal size take turns, as in `StratifiedKFold` of scikit-learn.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace broch::dataflows {

class Dealing {
 public:
  explicit Dealing(std::vector<uint64_t> sizes) : sizes_(std::move(sizes)) {
    for (size_t part = 0; part < sizes_.size(); ++part) expect(part, 0);
  }

  // The part of the next place. Called at most once for each place of all parts.
  size_t next() {
    const auto [due, part, place] = expected_.top();
    expected_.pop();
    expect(part, place + 1);
    return part;
  }

 private:
  using Expected = std::tuple<double, size_t, uint64_t>;  // when it is due, part, place in the part

  void expect(size_t part, uint64_t place) {
    if (place < sizes_[part])
      expected_.emplace((double(place) + 0.5) / double(sizes_[part]), part, place);
  }

  std::vector<uint64_t> sizes_;
  std::priority_queue<Expected, std::vector<Expected>, std::greater<>> expected_;
};

}  // namespace broch::dataflows
