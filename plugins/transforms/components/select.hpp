// select.hpp: some components of a point, in another order or under other names.
#pragma once
#include "../../points/selection.hpp"

namespace broch::transforms {

struct SelectOptions {
  JsonText components;
  static constexpr auto schema =
      broch::options(broch::option("components", &SelectOptions::components,
                                   "The components to keep, in their new order: each a name, an "
                                   "index (from 0), or an object with a new name.")
                         .schema(BROCH_SELECTION_SCHEMA));
};

class Select final : public Transform {
 public:
  explicit Select(const Host& host) : selection_(Config(host), "/components") {}
  void apply(PointReader& in, PointWriter& out, Draws) override { selection_.apply(in, out); }

 private:
  points::Selection selection_;
};

}  // namespace broch::transforms
