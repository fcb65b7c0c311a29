// cells.cpp: recurrent cells, for which LibTorch takes kernels that only GPUs have.
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <torch/library.h>

#include <optional>
#include <tuple>
#include <vector>

namespace broch::simulated {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

std::tuple<at::Tensor, at::Tensor> lstm_cell(const at::Tensor& input, at::TensorList state,
                                             const at::Tensor& w_ih, const at::Tensor& w_hh,
                                             const OptionalTensor& b_ih,
                                             const OptionalTensor& b_hh) {
  const at::Tensor sums = at::linear(input, w_ih, b_ih) + at::linear(state[0], w_hh, b_hh);
  const std::vector<at::Tensor> gates = sums.chunk(4, 1);
  const at::Tensor kept = at::sigmoid(gates[1]) * state[1];
  const at::Tensor cell = kept + at::sigmoid(gates[0]) * at::tanh(gates[2]);
  return {at::sigmoid(gates[3]) * at::tanh(cell), cell};
}

at::Tensor gru_cell(const at::Tensor& input, const at::Tensor& state, const at::Tensor& w_ih,
                    const at::Tensor& w_hh, const OptionalTensor& b_ih,
                    const OptionalTensor& b_hh) {
  const std::vector<at::Tensor> in = at::linear(input, w_ih, b_ih).chunk(3, 1);
  const std::vector<at::Tensor> own = at::linear(state, w_hh, b_hh).chunk(3, 1);
  const at::Tensor reset = at::sigmoid(in[0] + own[0]), update = at::sigmoid(in[1] + own[1]);
  const at::Tensor candidate = at::tanh(in[2] + reset * own[2]);
  return candidate + update * (state - candidate);
}

}  // namespace
}  // namespace broch::simulated

// With and without gradients.
TORCH_LIBRARY_IMPL(aten, AutogradCUDA, library) {
  library.impl("lstm_cell", broch::simulated::lstm_cell);
  library.impl("gru_cell", broch::simulated::gru_cell);
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("lstm_cell", broch::simulated::lstm_cell);
  library.impl("gru_cell", broch::simulated::gru_cell);
}
