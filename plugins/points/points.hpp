// points.hpp: what combinators do with whole data points: keys, and moving their components.
#pragma once
#include <broch/broch.hpp>

namespace broch::points {

class Points {
 public:
  explicit Points(const Host& host)
      : host_(host), data_(host.require<broch_host_data_point>(BROCH_EXT_DATA_POINT)) {}

  PointReader reader(broch_point point) const { return {host_, data_, point}; }
  PointReader reader(const Point& point) const { return reader(point.handle()); }

  // 0: the point has none.
  uint64_t key(broch_point point) const { return reader(point).key(); }
  // Mixes a number into the key of a point that was made from another one, or that comes from one
  // of several sources: the number tells these apart. Without a key nothing is done.
  void mix_key(broch_point point, uint64_t number) const {
    if (const uint64_t before = key(point))
      host_.check(data_->set_key(host_.c(), point, mixed(before, number)));
  }

  // Adds all components of from to the end of the point to.
  void move_components(const Point& from, const PointWriter& to) const {
    const PointReader reads = reader(from);
    for (uint32_t i = 0, n = reads.size(); i < n; ++i) reads.move(i, to);
  }

 private:
  Host host_;
  const broch_host_data_point* data_;
};

}  // namespace broch::points
