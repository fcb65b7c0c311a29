// scan.hpp: reads one number of each point of a dataflow, before the training begins.
#pragma once
#include <vector>

#include "../../points/component_name.hpp"
#include "../../points/numbers.hpp"

namespace broch::dataflows {

// Throws Error if a dataflow that is read by index does not know its size. what: for messages.
inline void require_end(const ChildDataFlow& child, const std::string& what) {
  if (child.indexed() && !child.size())
    throw Error(BROCH_E_INVALID_ARGUMENT,
                what +
                    ": found a dataflow that is endless, or does not know its size, expected one "
                    "with a size; put take around it");
}

// The only element of a component of each point of the first round. what: for messages.
inline std::vector<double> scan(const Host& host, const ChildDataFlow& child,
                                const points::ComponentName& component, const std::string& what) {
  const Cancel cancel = Cancel::of_run(host);
  std::vector<double> numbers;
  Point point(host);
  if (!child.indexed()) child.open("");
  require_end(child, what);
  for (;;) {
    if (cancel.cancelled()) throw Cancelled();
    point.clear();
    const bool found = child.indexed() ? child.read({0, numbers.size()}, cancel, point)
                                       : child.next(cancel, point);
    if (!found) return numbers;
    numbers.push_back(points::only_number(
        point.view(component.in(point)),
        what + ", point " + std::to_string(numbers.size()) + ", component " + component.text()));
  }
}

}  // namespace broch::dataflows
