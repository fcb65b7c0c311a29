// component_facts.cpp: one pass over the elements.
#include "data/component_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/dlpack.hpp"
#include "runtime/element.hpp"

namespace broch::data {
namespace {

constexpr int64_t kFew = 8;

}  // namespace

ComponentFacts facts_of(const char* name, const broch_dl_tensor& tensor) {
  const runtime::TensorInfo info = runtime::describe_dl(tensor);
  ComponentFacts facts{name ? name : "", info.dtype, info.shape, 0, 0, 0, 0, {}};
  std::string bytes(runtime::dl_bytes(tensor), '\0');
  runtime::dl_copy(tensor, bytes.data());
  const size_t size = runtime::dtype_size(info.dtype);
  const int64_t elements = info.shape.elements();
  double sum = 0;
  facts.min = std::numeric_limits<double>::infinity();
  facts.max = -facts.min;
  for (int64_t i = 0; i < elements; ++i) {
    const double value = runtime::decode_element(info.dtype, bytes.data() + size_t(i) * size);
    if (elements <= kFew) facts.values.push_back(value);
    if (!std::isfinite(value)) {
      ++facts.not_finite;
      continue;
    }
    facts.min = std::min(facts.min, value);
    facts.max = std::max(facts.max, value);
    sum += value;
  }
  const int64_t finite = elements - facts.not_finite;
  facts.mean = finite ? sum / double(finite) : std::numeric_limits<double>::quiet_NaN();
  if (!finite) facts.min = facts.max = facts.mean;
  return facts;
}

}  // namespace broch::data
