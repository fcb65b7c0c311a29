// plain.cpp: an ordinary LibTorch training loop; nothing of Broch takes part.
#include "parity/plain.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <algorithm>

namespace broch::parity {
namespace {

const std::map<std::string, std::vector<int64_t>> kShapes = {
    {"conv1/W", {7, 1, 3, 3}},   {"conv1/b", {7}},
    {"conv2/W", {33, 7, 3, 3}},  {"conv2/b", {33}},
    {"fc1/W", {51, 33 * 6 * 6}}, {"fc1/b", {51}},
    {"fc2/W", {kClasses, 51}},   {"fc2/b", {kClasses}}};

using Parameters = std::map<std::string, at::Tensor>;

at::Tensor cost_of(const Parameters& p, const at::Tensor& images, const at::Tensor& labels) {
  at::Tensor x = at::relu(at::conv2d(images, p.at("conv1/W"), p.at("conv1/b"), 1, 1));
  x = at::relu(at::conv2d(x, p.at("conv2/W"), p.at("conv2/b"), 2, 1));
  x = at::relu(at::linear(at::flatten(x, 1), p.at("fc1/W"), p.at("fc1/b")));
  return at::cross_entropy_loss(at::linear(x, p.at("fc2/W"), p.at("fc2/b")), labels);
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

Weights train(Weights initial, const Rows& rows, Rule rule, double rate, int steps) {
  at::set_num_threads(1);
  Parameters parameters;
  std::vector<at::Tensor> list;
  for (const auto& [name, shape] : kShapes) {
    const at::Tensor value = at::from_blob(initial.at(name).data(), shape, at::kFloat).clone();
    list.push_back(parameters[name] = value.requires_grad_());
  }
  const auto count = static_cast<int64_t>(rows.labels.size());
  auto* images = const_cast<float*>(rows.images.data());
  auto* labels = const_cast<int64_t*>(rows.labels.data());
  const auto rule_of_update = optimizer(list, rule, rate);
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t row = step * kBatch % count;
    const at::Tensor x =
        at::from_blob(images + row * kSide * kSide, {kBatch, 1, kSide, kSide}, at::kFloat).clone();
    const at::Tensor y = at::from_blob(labels + row, {kBatch}, at::kLong).clone();
    const auto gradients = torch::autograd::grad({cost_of(parameters, x, y)}, list);
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
