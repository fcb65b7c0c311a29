// convolution.cpp: prevents oneDNN, which LibTorch contains, from writing past its memory.
//
// For the weight gradient of a strided 1x1 convolution, if the images have channels last and fewer
// channels than a vector has lanes, oneDNN writes past its workspace, with AVX2 and with AVX-512
// (oneDNN issue 6035; LibTorch up to 2.14 is affected). This corrupts the heap, whoever makes the
// call. Images with channels first are computed in another way.
#include <ATen/ops/convolution_backward_compositeexplicitautograd_dispatch.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace broch::libtorch {
namespace {

bool writes_past_its_workspace(const at::Tensor& input, const at::Tensor& weight,
                               at::IntArrayRef stride, int64_t groups) {
  constexpr int64_t kLanes = 16;  // of AVX-512
  const auto is_one = [](int64_t size) { return size == 1; };
  return input.dim() >= 3 && input.size(1) / groups < kLanes &&
         std::ranges::all_of(weight.sizes().slice(2), is_one) &&
         !std::ranges::all_of(stride, is_one);
}

using Gradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

Gradients convolution_backward(const at::Tensor& gradient, const at::Tensor& input,
                               const at::Tensor& weight, at::OptionalIntArrayRef bias,
                               at::IntArrayRef stride, at::IntArrayRef padding,
                               at::IntArrayRef dilation, bool transposed,
                               at::IntArrayRef output_padding, int64_t groups,
                               std::array<bool, 3> wanted) {
  const auto call = [&](const at::Tensor& of, const at::Tensor& x, const at::Tensor& w) {
    return at::compositeexplicitautograd::convolution_backward(
        of, x, w, bias, stride, padding, dilation, transposed, output_padding, groups, wanted);
  };
  if (!writes_past_its_workspace(input, weight, stride, groups))
    return call(gradient, input, weight);
  return call(gradient.contiguous(), input.contiguous(), weight.contiguous());
}

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("convolution_backward", convolution_backward);
}

}  // namespace
}  // namespace broch::libtorch
