// samples.hpp: outputs of a tower as numbers, and lists of numbers that belong together. Shared by
// the inferencers.
#pragma once
#include <broch/broch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace broch::inferencers {

using Numbers = std::vector<std::pair<std::string, double>>;

// "{prefix}_{name}", or the name alone.
inline std::string prefixed(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "_" + name;
}

// A tensor of on_fetches, and how the options call it.
struct Fetched {
  Fetched(const TensorData& data, const std::string& called, broch_tensor fetched)
      : name(called), tensor(fetched), info(data.info(fetched)) {}
  std::string text() const {
    return name + " of shape " + shape_text({info.shape, info.shape + info.rank});
  }

  const std::string& name;
  broch_tensor tensor;
  broch_tensor_info info;
};

[[noreturn]] inline void refuse_shapes(const Fetched& a, const Fetched& b,
                                       const std::string& expected) {
  throw Error(BROCH_E_INVALID_ARGUMENT, "found " + a.text() + " and " + b.text() + ", expected " +
                                            expected + "; name other outputs in the options");
}

// Whether the shapes are the same, apart from dimensions of size 1.
inline bool same_shape(const broch_tensor_info& a, const broch_tensor_info& b) {
  const auto squeezed = [](const broch_tensor_info& info) {
    std::vector<int64_t> shape(info.shape, info.shape + info.rank);
    std::erase(shape, 1);
    return shape;
  };
  return squeezed(a) == squeezed(b);
}

inline void check_same_shape(const Fetched& a, const Fetched& b) {
  if (!same_shape(a.info, b.info)) refuse_shapes(a, b, "the same shape");
}

// Whole numbers, whatever their dtype is.
inline std::vector<int64_t> whole_numbers(const TensorData& data, const Fetched& from) {
  std::vector<int64_t> list;
  for (const double value : data.doubles(from.tensor)) {
    if (value != std::floor(value) || std::abs(value) > 1e15)
      throw Error(BROCH_E_INVALID_ARGUMENT, from.name + " has the value " + number_text(value) +
                                                ", expected classes, which are whole numbers");
    list.push_back(int64_t(value));
  }
  return list;
}

}  // namespace broch::inferencers
