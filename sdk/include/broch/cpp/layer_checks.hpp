// layer_checks.hpp: checks the arguments of layers. A message contains the layer, what was given
// and what was expected: "conv2d 'block1/conv': x is float32 (32, 64), expected (N, C, H, W)".
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "extent.hpp"
#include "tower.hpp"

namespace broch {
inline namespace v0 {
namespace glue {

class Checked {
 public:
  // kind: the function, "conv2d". name: that of the layer, inside the scopes that are open now.
  Checked(const Tower& t, const char* kind, const std::string& name)
      : tower_(t), place_(std::string(kind) + " '" + t.scoped(name) + "'") {}

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw Error(BROCH_E_INVALID_ARGUMENT, place_ + ": " + found + ", expected " + expected);
  }

  // layout: the expected dimensions in words, "(N, C, H, W)". Returns the shape of x.
  std::vector<int64_t> rank(const char* what, const Tensor& x, size_t rank,
                            const char* layout) const {
    return ranks(what, x, rank, rank, layout);
  }
  std::vector<int64_t> ranks(const char* what, const Tensor& x, size_t least, size_t most,
                             const char* layout) const {
    given(what, x, layout);
    std::vector<int64_t> shape = tower_.shape(x);
    if (shape.size() < least || shape.size() > most) refuse(is(what, x), layout);
    return shape;
  }
  void given(const char* what, const Tensor& x, const char* expected) const {
    if (!x) refuse(std::string(what) + " is an undefined tensor", expected);
  }
  // For layers whose weights are float32. In mixed precision, layers pass bfloat16 on.
  void float32(const char* what, const Tensor& x) const {
    const broch_dtype dtype = tower_.dtype(x);
    if (dtype != BROCH_FLOAT32 && dtype != BROCH_BFLOAT16)
      refuse(is(what, x), "float32; ops().to_dtype(x, BROCH_FLOAT32) converts");
  }
  void floating(const char* what, const Tensor& x) const {
    const broch_dtype dtype = tower_.dtype(x);
    if (dtype < BROCH_FLOAT32 || dtype > BROCH_BFLOAT16)
      refuse(is(what, x), "floating-point numbers; ops().to_dtype(x, BROCH_FLOAT32) converts");
  }
  void shape(const char* what, const Tensor& x, const std::vector<int64_t>& expected) const {
    given(what, x, shape_text(expected).c_str());
    if (tower_.shape(x) != expected) refuse(is(what, x), shape_text(expected));
  }
  void at_least(const char* option, int64_t value, int64_t least) const {
    if (value < least)
      refuse(std::string(option) + " is " + std::to_string(value),
             std::to_string(least) + " or more");
  }
  template <size_t N>
  void at_least(const char* option, const Extent<N>& value, int64_t least) const {
    for (size_t d = 0; d < N; ++d)
      if (value[d] < least)
        refuse(std::string(option) + " is " + value.text(), std::to_string(least) + " or more");
  }
  void not_negative(const char* option, double value) const {
    if (!(value >= 0)) refuse(std::string(option) + " is " + std::to_string(value), "0 or more");
  }
  // Requires 0 <= value < 1.
  void rate(const char* option, double value) const {
    if (!(value >= 0 && value < 1))
      refuse(std::string(option) + " is " + std::to_string(value), "0 or more and below 1");
  }
  // For example "x is float32 (32, 64)".
  std::string is(const char* what, const Tensor& x) const {
    return std::string(what) + " is " + tower_.type_text(x);
  }

 private:
  const Tower& tower_;
  const std::string place_;
};

}  // namespace glue
}  // namespace v0
}  // namespace broch
