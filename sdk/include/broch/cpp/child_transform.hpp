// child_transform.hpp: children that make data points from data points.
#pragma once
#include <string>

#include "child.hpp"
#include "data_point.hpp"

namespace broch {
inline namespace v0 {

// A child of role transform; role/transform.h describes the functions. Can be called from any
// thread. A failure of the child throws Error.
class ChildTransform {
 public:
  using Role = RoleOf<broch_transform>;
  ChildTransform() = default;  // no child: nothing else may be called
  ChildTransform(const Host& host, const std::string& pointer)
      : host_(host), child_(host, pointer) {}
  // Whether one point may become none or several. If so, take them from `out` with next_emitted.
  bool makes_many() const { return child_.table->flags & BROCH_TRANSFORM_MANY; }
  // Clears out, fills it from in and clears in. key: that of the point (Point::key).
  void apply(uint64_t key, broch_point in, broch_point out) const {
    host_.check(child_.table->apply(child_.self, key, in, out));
  }
  // Only where one point may become none or several. Moves the next point that was made to `to`.
  // False: there is none left.
  bool next_emitted(broch_point out, broch_point to) const {
    const auto* data = host_.require<broch_host_data_point>(BROCH_EXT_DATA_POINT);
    return host_.check(data->emitted(host_.c(), out, to)) == BROCH_OK;
  }

 private:
  Host host_;
  Child<broch_transform> child_;
};

}  // namespace v0
}  // namespace broch
