// step_operators.hpp: operators as steps of recorded programs call them.
#pragma once
#include <vector>

#include "recording.hpp"

namespace broch::runtime {

inline Tensor relu(const Tensor& x) { return call1("aten::relu(Tensor self) -> Tensor", {of(x)}); }
inline Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return call1("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
               {of(x), of(weight), of(bias)});
}
inline Tensor mul(const Tensor& a, const Tensor& b) {
  return call1("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", {of(a), of(b)});
}
inline Tensor add(const Tensor& a, const Tensor& b) {
  return call1("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               {of(a), of(b), of(int64_t{1})});
}
inline const std::vector<int64_t> kNone{0, 0}, kOne{1, 1}, kTwo{2, 2};
inline Tensor sum(const Tensor& x) { return call1("aten::sum(Tensor self) -> Tensor", {of(x)}); }
inline Tensor transpose(const Tensor& x) {
  return call1("aten::t(Tensor(a) self) -> Tensor(a)", {of(x)});
}
inline Tensor row(const Tensor& x, int64_t number) {
  return call1("aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
               {of(x), of(int64_t{0}), of(number)});
}
inline void add_in_place(const Tensor& x, const Tensor& y) {
  call1("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
        {of(x), of(y)});
}
inline Tensor conv(const Tensor& x, const Tensor& weights, const Tensor& bias, int64_t groups) {
  return call1(
      "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
      "SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
      {of(x), of(weights), bias ? of(bias) : none(), list(kOne), list(kOne), list(kOne),
       of(groups)});
}

}  // namespace broch::runtime
