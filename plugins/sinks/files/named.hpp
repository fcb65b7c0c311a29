// named.hpp: a data point as the writers of containers take it.
#pragma once
#include <containers/component.hpp>
#include <string>
#include <vector>

#include "elements.hpp"

namespace files {

inline std::vector<containers::Named> named_of(const broch::PointReader& point) {
  std::vector<containers::Named> all(point.size());
  for (uint32_t i = 0; i < all.size(); ++i) {
    const broch_dl_tensor view = point.view(i);
    all[i].name = point.name(i) ? point.name(i) : "";
    all[i].component.type = view.dtype;
    all[i].component.shape.assign(view.shape, view.shape + view.ndim);
    copy_elements(view, all[i].component.owned);
  }
  return all;
}

}  // namespace files
