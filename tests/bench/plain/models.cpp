// models.cpp: what plugins/*.hpp say through the C interface, said to LibTorch.
#include "models.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/embedding_bag.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros_like.h>

#include <stdexcept>

namespace broch::bench {
namespace {

using at::Tensor;

Tensor connected(Variables& v, const std::string& name, const Tensor& x, int64_t units) {
  const Tensor w = v.weight(name + "/W", {units, x.size(-1)});
  return at::linear(x, w, v.vector(name + "/b", units, 0));
}

struct Convolution {
  int64_t channels, kernel = 3, stride = 1, padding = 1;
  bool use_bias = false;
};
Tensor convolved(Variables& v, const std::string& name, const Tensor& x, const Convolution& c) {
  const Tensor w = v.weight(name + "/W", {c.channels, x.size(1), c.kernel, c.kernel});
  const Tensor b = c.use_bias ? v.vector(name + "/b", c.channels, 0) : Tensor();
  return at::conv2d(x, w, b, c.stride, c.padding);
}

Tensor batch_normalized(Variables& v, const std::string& name, const Tensor& x) {
  const int64_t channels = x.size(1);
  return at::batch_norm(x, v.vector(name + "/gamma", channels, 1),
                        v.vector(name + "/beta", channels, 0),
                        v.buffer(name + "/mean", channels, 0),
                        v.buffer(name + "/variance", channels, 1), true, 0.1, 1e-5, false);
}

Costs mlp(Variables& v, const Point& point, const std::vector<int64_t>& sizes) {
  Tensor x = point[0];
  for (size_t i = 0; i < sizes.size(); ++i) {
    x = connected(v, "fc" + std::to_string(i + 1), x, sizes[i]);
    if (i + 1 < sizes.size()) x = at::relu(x);
  }
  return {at::cross_entropy_loss(x, point[1])};
}

Costs convnet(Variables& v, const Point& point, int64_t padding) {
  Tensor x = at::relu(convolved(v, "conv1", point[0], {32, 3, 1, padding, true}));
  x = batch_normalized(v, "bn", convolved(v, "conv2", x, {64, 3, 1, padding, true}));
  x = at::flatten(at::max_pool2d(at::relu(x), 2), 1);
  return {at::cross_entropy_loss(connected(v, "fc", x, 10), point[1])};
}

Tensor residual_part(Variables& v, const std::string& name, const Tensor& x,
                     const Convolution& convolution) {
  return batch_normalized(v, name + "/bn", convolved(v, name + "/conv", x, convolution));
}

Costs resnet20(Variables& v, const Point& point) {
  Tensor x = at::relu(residual_part(v, "stem", point[0], {16}));
  for (int64_t i = 0; i < 9; ++i) {
    const std::string name = "block" + std::to_string(i + 1);
    const int64_t channels = 16 << i / 3, stride = i == 3 || i == 6 ? 2 : 1;
    Tensor y = at::relu(residual_part(v, name + "/a", x, {channels, 3, stride}));
    y = residual_part(v, name + "/b", y, {channels});
    if (stride != 1) x = residual_part(v, name + "/shortcut", x, {channels, 1, stride, 0});
    x = at::relu(y + x);
  }
  x = connected(v, "fc", at::mean(x, at::IntArrayRef{2, 3}), 10);
  return {at::cross_entropy_loss(x, point[1])};
}

constexpr int64_t kHeads = 4, kContext = 64, kVocabulary = 96;

Tensor layer_normalized(Variables& v, const std::string& name, const Tensor& x) {
  const int64_t width = x.size(-1);
  return at::layer_norm(x, {width}, v.vector(name + "/gamma", width, 1),
                        v.vector(name + "/beta", width, 0));
}

Tensor attention(Variables& v, const std::string& block, const Tensor& x) {
  const int64_t batch = x.size(0), width = x.size(2);
  const Tensor qkv =
      connected(v, block + "/qkv", x, 3 * width).view({batch, kContext, 3, kHeads, width / kHeads});
  const std::vector<Tensor> of = qkv.permute({2, 0, 3, 1, 4}).unbind(0);
  const Tensor mixed = at::scaled_dot_product_attention(of[0], of[1], of[2], {}, 0.0, true);
  return connected(v, block + "/out", mixed.transpose(1, 2).reshape({batch, kContext, width}),
                   width);
}

Costs gpt(Variables& v, const Point& point, int64_t layers, int64_t width) {
  Tensor x = at::embedding(v.weight("token/W", {kVocabulary, width}), point[0]) +
             v.weight("position/W", {kContext, width});
  for (int64_t i = 1; i <= layers; ++i) {
    const std::string block = "block" + std::to_string(i);
    x = x + attention(v, block, layer_normalized(v, block + "/norm1", x));
    const Tensor wide =
        connected(v, block + "/up", layer_normalized(v, block + "/norm2", x), 4 * width);
    x = x + connected(v, block + "/down", at::gelu(wide, "tanh"), width);
  }
  const Tensor logits =
      at::linear(layer_normalized(v, "norm", x), v.weight("head/W", {kVocabulary, width}));
  return {at::cross_entropy_loss(logits.view({-1, kVocabulary}), point[1].view(-1))};
}

constexpr int64_t kTables = 26, kRows = 100000, kRowWidth = 16, kRecsysBatch = 2048;

Costs recsys(Variables& v, const Point& point) {
  const Tensor offsets = at::arange(kRecsysBatch, at::kLong);  // bags of one id each
  std::vector<Tensor> features = {point[0]};
  for (int64_t i = 0; i < kTables; ++i) {
    const Tensor table = v.weight("table" + std::to_string(i + 1) + "/W", {kRows, kRowWidth});
    features.push_back(
        std::get<0>(at::embedding_bag(table, point[1].select(0, i), offsets, false, 0, true)));
  }
  Tensor x = at::relu(connected(v, "fc1", at::cat(features, 1), 128));
  x = connected(v, "fc3", at::relu(connected(v, "fc2", x, 64)), 2);
  return {at::cross_entropy_loss(x, point[2])};
}

constexpr int64_t kGanWidth = 32, kNoise = 100, kGanBatch = 32;

Tensor widened(Variables& v, const std::string& name, const Tensor& x, int64_t channels) {
  const Tensor w = v.weight(name + "/W", {x.size(1), channels, 4, 4});
  return at::conv_transpose2d(x, w, {}, 2, 1);
}

Tensor generated(Variables& v, const Tensor& z) {
  int64_t channels = 4 * kGanWidth;
  Tensor x = at::linear(z, v.weight("gen/fc/W", {channels * 16, kNoise}));
  x = at::relu(batch_normalized(v, "gen/bn0", x.view({-1, channels, 4, 4})));
  for (int64_t i = 1; i <= 2; ++i) {
    const std::string number = std::to_string(i);
    x = widened(v, "gen/up" + number, x, channels /= 2);
    x = at::relu(batch_normalized(v, "gen/bn" + number, x));
  }
  return at::tanh(widened(v, "gen/up3", x, 3));
}

Tensor discriminated(Variables& v, const Tensor& picture) {
  Tensor x = at::leaky_relu(convolved(v, "discrim/conv1", picture, {kGanWidth, 4, 2}), 0.2);
  for (int64_t i = 2; i <= 3; ++i) {
    const std::string number = std::to_string(i);
    x = convolved(v, "discrim/conv" + number, x, {2 * x.size(1), 4, 2});
    x = at::leaky_relu(batch_normalized(v, "discrim/bn" + number, x), 0.2);
  }
  x = at::flatten(x, 1);
  return at::linear(x, v.weight("discrim/fc/W", {1, x.size(1)}));
}

Costs gan(Variables& v, const Point& point) {
  const Tensor fake = discriminated(v, generated(v, point[0])), real = discriminated(v, point[1]);
  const Tensor takes = at::ones_like(fake), refuses = at::zeros_like(fake);
  const Tensor refused = at::binary_cross_entropy_with_logits(fake, refuses);
  return {at::binary_cross_entropy_with_logits(fake, takes),
          at::binary_cross_entropy_with_logits(real, takes) + refused};
}

// Inputs repeat after half of the batches, targets do not.
constexpr int64_t kPeriod = kBatches / 2;

Workload make_mlp(Rule rule, double rate, int64_t batch, const std::vector<int64_t>& sizes) {
  const std::vector<int64_t> layers(sizes.begin() + 1, sizes.end());
  return {{{"x", {batch, sizes[0]}, 0, kPeriod}, {"label", {batch}, sizes.back()}},
          rule,
          rate,
          [layers](Variables& v, const Point& point) { return mlp(v, point, layers); }};
}

Workload make_convnet(int64_t side, int64_t padding) {
  return {{{"image", {64, 1, side, side}, 0, kPeriod}, {"label", {64}, 10}},
          Rule::momentum,
          0.0002,
          [padding](Variables& v, const Point& point) { return convnet(v, point, padding); }};
}

Workload make_gpt(int64_t layers, int64_t width) {
  return {{{"tokens", {8, kContext}, kVocabulary, kPeriod}, {"next", {8, kContext}, kVocabulary}},
          Rule::adam,
          1e-3,
          [=](Variables& v, const Point& point) { return gpt(v, point, layers, width); }};
}

Workload make_resnet20() {
  return {{{"image", {16, 3, 32, 32}, 0, kPeriod}, {"label", {16}, 10}},
          Rule::momentum,
          0.0002,
          resnet20};
}

Workload make_gan() {
  return {{{"z", {kGanBatch, kNoise}, 0, kPeriod}, {"image", {kGanBatch, 3, 32, 32}}},
          Rule::adam,
          2e-6,
          gan,
          {"gen/", "discrim/"}};
}

Workload make_recsys() {
  return {{{"dense", {kRecsysBatch, 13}, 0, kPeriod},
           {"ids", {kTables, kRecsysBatch}, kRows, kPeriod},
           {"click", {kRecsysBatch}, 2}},
          Rule::sgd,
          0.01,
          recsys};
}

}  // namespace

Workload workload(const std::string& name) {
  if (name == "mlp") return make_mlp(Rule::momentum, 0.01, 32, {64, 128, 128, 10});
  if (name == "mlp-adam") return make_mlp(Rule::adam, 1e-4, 32, {64, 128, 128, 10});
  if (name == "mlp-wide") return make_mlp(Rule::adam, 1e-4, 64, {784, 256, 256, 10});
  if (name == "cnn8") return make_convnet(8, 1);
  if (name == "cnn28") return make_convnet(28, 0);
  if (name == "resnet20") return make_resnet20();
  if (name == "gpt-small") return make_gpt(2, 64);
  if (name == "gpt-medium") return make_gpt(4, 128);
  if (name == "gan") return make_gan();
  if (name == "recsys") return make_recsys();
  throw std::out_of_range("no workload is called '" + name + "'");
}

}  // namespace broch::bench
