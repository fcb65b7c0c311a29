// plain.cpp: an ordinary LibTorch training loop; nothing of Broch takes part.
#include "language_parity/plain.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/add.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/select.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <algorithm>

namespace broch::parity {
namespace {

using Parameters = std::map<std::string, at::Tensor>;
using Shape = std::vector<int64_t>;

// What each network is: shapes of its variables and its logits.
struct Plain {
  Shape row;
  std::map<std::string, Shape> shapes;
  at::Tensor (*logits)(const Parameters& p, const at::Tensor& x);
};

at::Tensor connected(const Parameters& p, const std::string& name, const at::Tensor& x) {
  return at::linear(x, p.at(name + "/W"), p.at(name + "/b"));
}

at::Tensor convnet(const Parameters& p, const at::Tensor& images) {
  at::Tensor x = at::relu(at::conv2d(images, p.at("conv1/W"), p.at("conv1/b"), 1, 1));
  x = at::relu(at::conv2d(x, p.at("conv2/W"), p.at("conv2/b"), 2, 1));
  return connected(p, "fc2", at::relu(connected(p, "fc1", at::flatten(x, 1))));
}

at::Tensor mlp(const Parameters& p, const at::Tensor& x) {
  return connected(p, "fc3", at::relu(connected(p, "fc2", at::relu(connected(p, "fc1", x)))));
}

at::Tensor norm(const Parameters& p, const std::string& name, const at::Tensor& x) {
  return at::layer_norm(x, {x.size(-1)}, p.at(name + "/gamma"), p.at(name + "/beta"));
}

// One block before its mean over time: causal attention of four heads, then two layers with gelu.
at::Tensor transformer(const Parameters& p, const at::Tensor& input) {
  at::Tensor x = at::add(input, p.at("positions"));
  const int64_t rows = x.size(0), time = x.size(1), width = x.size(2);
  const at::Tensor parts = at::permute(
      at::reshape(connected(p, "in", norm(p, "norm1", x)), {rows, time, 3, 4, width / 4}),
      {2, 0, 3, 1, 4});
  const at::Tensor mixed = at::scaled_dot_product_attention(
      at::select(parts, 0, 0), at::select(parts, 0, 1), at::select(parts, 0, 2), {}, 0.0, true);
  x = at::add(
      x, connected(p, "out", at::reshape(at::permute(mixed, {0, 2, 1, 3}), {rows, time, width})));
  x = at::add(x, connected(p, "down", at::gelu(connected(p, "up", norm(p, "norm2", x)))));
  return connected(p, "head", at::mean(x, {1}));
}

const Plain& plain(Net net) {
  static const Plain nets[] = {{{1, 12, 12},
                                {{"conv1/W", {7, 1, 3, 3}},
                                 {"conv1/b", {7}},
                                 {"conv2/W", {33, 7, 3, 3}},
                                 {"conv2/b", {33}},
                                 {"fc1/W", {51, 33 * 6 * 6}},
                                 {"fc1/b", {51}},
                                 {"fc2/W", {kClasses, 51}},
                                 {"fc2/b", {kClasses}}},
                                convnet},
                               {{64},
                                {{"fc1/W", {128, 64}},
                                 {"fc1/b", {128}},
                                 {"fc2/W", {128, 128}},
                                 {"fc2/b", {128}},
                                 {"fc3/W", {kClasses, 128}},
                                 {"fc3/b", {kClasses}}},
                                mlp},
                               {{16, 32},
                                {{"positions", {16, 32}},
                                 {"norm1/gamma", {32}},
                                 {"norm1/beta", {32}},
                                 {"in/W", {96, 32}},
                                 {"in/b", {96}},
                                 {"out/W", {32, 32}},
                                 {"out/b", {32}},
                                 {"norm2/gamma", {32}},
                                 {"norm2/beta", {32}},
                                 {"up/W", {128, 32}},
                                 {"up/b", {128}},
                                 {"down/W", {32, 128}},
                                 {"down/b", {32}},
                                 {"head/W", {kClasses, 32}},
                                 {"head/b", {kClasses}}},
                                transformer}};
  return nets[static_cast<size_t>(net)];
}

std::unique_ptr<torch::optim::Optimizer> optimizer(const std::vector<at::Tensor>& list, Rule rule,
                                                   double rate) {
  if (rule == Rule::adam)
    return std::make_unique<torch::optim::Adam>(list, torch::optim::AdamOptions(rate));
  torch::optim::SGDOptions options(rate);
  if (rule == Rule::momentum) options.momentum(0.9);
  return std::make_unique<torch::optim::SGD>(list, options);
}

}  // namespace

std::vector<int64_t> row_shape(Net net) { return plain(net).row; }

Weights train(Net net, Weights initial, const Rows& rows, Rule rule, double rate, int steps) {
  at::set_num_threads(1);
  Parameters parameters;
  std::vector<at::Tensor> list;
  for (const auto& [name, shape] : plain(net).shapes) {
    const at::Tensor value = at::from_blob(initial.at(name).data(), shape, at::kFloat).clone();
    list.push_back(parameters[name] = value.requires_grad_());
  }
  const auto count = static_cast<int64_t>(rows.labels.size());
  Shape shape = plain(net).row;
  shape.insert(shape.begin(), kBatch);
  auto* inputs = const_cast<float*>(rows.inputs.data());
  auto* labels = const_cast<int64_t*>(rows.labels.data());
  const auto rule_of_update = optimizer(list, rule, rate);
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t row = step * kBatch % count;
    const at::Tensor x =
        at::from_blob(inputs + row * c10::multiply_integers(plain(net).row), shape, at::kFloat)
            .clone();
    const at::Tensor y = at::from_blob(labels + row, {kBatch}, at::kLong).clone();
    const at::Tensor cost = at::cross_entropy_loss(plain(net).logits(parameters, x), y);
    const auto gradients = torch::autograd::grad({cost}, list);
    for (size_t i = 0; i < list.size(); ++i) list[i].mutable_grad() = gradients[i];
    rule_of_update->step();
  }
  for (auto& [name, values] : initial) {
    const at::Tensor flat = parameters.at(name).detach().contiguous();
    std::copy_n(flat.const_data_ptr<float>(), values.size(), values.begin());
  }
  return initial;
}

}  // namespace broch::parity
