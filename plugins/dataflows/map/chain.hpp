// chain.hpp: the transforms of map, one after the other.
#pragma once
#include <broch/broch.hpp>
#include <utility>
#include <vector>

namespace dataflows {

class Chain {
 public:
  Chain(const broch::Host& host, std::vector<broch::ChildTransform> transforms)
      : host_(host), transforms_(std::move(transforms)) {}

  // Whether one point may become none or several.
  bool makes_many() const {
    for (const broch::ChildTransform& transform : transforms_)
      if (transform.makes_many()) return true;
    return false;
  }

  // Fills out from in, which is used up. Only if not makes_many. The last transform writes into out
  // itself, which may be a row of a batch.
  void apply(broch::Point& in, broch_point out) const {
    if (transforms_.empty()) return in.move_to(out);
    std::optional<broch::Point> spare;
    if (transforms_.size() > 1) spare.emplace(host_);
    for (size_t i = 0; i + 1 < transforms_.size(); ++i) {
      transforms_[i].apply(in.key(), in.handle(), spare->handle());
      std::swap(in, *spare);
    }
    transforms_.back().apply(in.key(), in.handle(), out);
  }

  // Replaces points by what becomes of them.
  void apply(std::vector<broch::Point>& points) const {
    for (const broch::ChildTransform& transform : transforms_) {
      std::vector<broch::Point> made;
      for (broch::Point& point : points) {
        broch::Point out(host_);
        transform.apply(point.key(), point.handle(), out.handle());
        if (transform.makes_many())
          move_emitted(transform, out, made);
        else
          made.push_back(std::move(out));
      }
      points = std::move(made);
    }
  }

 private:
  void move_emitted(const broch::ChildTransform& transform, const broch::Point& out,
                    std::vector<broch::Point>& made) const {
    for (;;) {
      broch::Point one(host_);
      if (!transform.next_emitted(out.handle(), one.handle())) return;
      made.push_back(std::move(one));
    }
  }

  broch::Host host_;
  std::vector<broch::ChildTransform> transforms_;
};

}  // namespace dataflows
