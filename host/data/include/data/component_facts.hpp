// component_facts.hpp: what a component of a data point holds, in a few numbers.
#pragma once
#include <string>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::data {

struct ComponentFacts {
  std::string name;  // "": the point has no names
  broch_dtype dtype = 0;
  runtime::Shape shape;
  // Of the finite elements; NaN if there are none.
  double min, max, mean;
  int64_t not_finite = 0;
  std::vector<double> values;  // all elements, if they are few
};

// name: nullptr for none. REQUIRES: CPU memory.
ComponentFacts facts_of(const char* name, const broch_dl_tensor& tensor);

}  // namespace broch::data
