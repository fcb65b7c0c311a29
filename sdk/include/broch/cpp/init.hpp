// init.hpp: the initial value of a variable.
#pragma once
#include <vector>

#include "../broch.h"

namespace broch {
inline namespace v0 {

// How a variable gets its first value; see ext/variables.h.
struct Init {
  int32_t kind = BROCH_INIT_CONSTANT;
  double a = 0, b = 0;
  const broch_dl_tensor* data = nullptr;
  static Init constant(double value) { return {BROCH_INIT_CONSTANT, value, 0}; }
  static Init uniform(double low, double high) { return {BROCH_INIT_UNIFORM, low, high}; }
  static Init normal(double mean, double deviation) { return {BROCH_INIT_NORMAL, mean, deviation}; }
  static Init truncated_normal(double mean, double deviation) {
    return {BROCH_INIT_TRUNCATED_NORMAL, mean, deviation};
  }
  static Init he_normal(double scale = 1) { return {BROCH_INIT_HE_NORMAL, scale, 0}; }
  static Init glorot_uniform(double scale = 1) { return {BROCH_INIT_GLOROT_UNIFORM, scale, 0}; }
  static Init lecun_uniform(double scale = 1) { return {BROCH_INIT_LECUN_UNIFORM, scale, 0}; }
  static Init orthogonal(double gain = 1) { return {BROCH_INIT_ORTHOGONAL, gain, 0}; }
  // These values, borrowed; dl_view makes them of a vector.
  static Init values(const broch_dl_tensor& data) { return {BROCH_INIT_VALUES, 0, 0, &data}; }

  // A variable with this first value. Borrows shape.
  broch_variable_spec spec(const std::vector<int64_t>& shape, uint32_t flags,
                           broch_dtype dtype) const {
    broch_variable_spec spec{};
    spec.struct_size = sizeof spec;
    spec.dtype = dtype;
    spec.rank = uint32_t(shape.size());
    spec.flags = flags;
    spec.shape = shape.data();
    spec.initializer = kind;
    spec.a = a;
    spec.b = b;
    spec.values = data;
    return spec;
  }
};

}  // namespace v0
}  // namespace broch
