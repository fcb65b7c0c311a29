// plain.cpp: whole sequences in one call where LibTorch has one; attention by its definition.
#include "plain.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>

#include "waves.hpp"

namespace broch::layers_test {
namespace {

using At = std::map<std::string, at::Tensor>;

std::vector<at::Tensor> recurrent(const At& w) {
  return {w.at("layer/W_ih"), w.at("layer/W_hh"), w.at("layer/b_ih"), w.at("layer/b_hh")};
}
at::Tensor linear(const At& w, const std::string& part, const at::Tensor& x) {
  return at::linear(x, w.at("layer/" + part + "/W"), w.at("layer/" + part + "/b"));
}

// Head by head.
at::Tensor attention(const At& w, const at::Tensor& x, const at::Tensor& memory, bool causal) {
  constexpr int64_t kHeads = 2, kEach = kWidth / kHeads;
  const at::Tensor q = linear(w, "query", x), k = linear(w, "key", memory),
                   v = linear(w, "value", memory);
  std::vector<at::Tensor> heads;
  for (int64_t head = 0; head < kHeads; ++head) {
    const auto part = [&](const at::Tensor& all) { return all.narrow(2, head * kEach, kEach); };
    at::Tensor scores = at::bmm(part(q), part(k).transpose(1, 2)) / std::sqrt(double(kEach));
    if (causal) scores = scores + at::full({kSteps, kSteps}, -INFINITY).triu(1);
    heads.push_back(at::bmm(at::softmax(scores, -1), part(v)));
  }
  return linear(w, "out", at::cat(heads, 2));
}

at::Tensor output(const std::string& layer, const At& w, const at::Tensor& x,
                  const at::Tensor& ids) {
  const at::Tensor h = at::zeros({1, kRows, 6});
  if (layer == "rnn")
    return std::get<0>(at::rnn_tanh(x, h, recurrent(w), true, 1, 0, true, false, true));
  if (layer == "gru")
    return std::get<0>(at::gru(x, h, recurrent(w), true, 1, 0, true, false, true));
  if (layer == "lstm") {
    const auto [y, last_h, last_c] =
        at::lstm(x, {h, h}, recurrent(w), true, 1, 0, true, false, true);
    return at::cat({y, last_c.transpose(0, 1)}, 1);
  }
  if (layer == "embedding") return w.at("layer/W").index({ids});
  if (layer == "layer_norm") {
    const at::Tensor e = at::exp(x * w.at("w"));
    const at::Tensor distance = e - e.mean({1, 2}, true);
    const at::Tensor deviation = at::sqrt(at::square(distance).mean({1, 2}, true) + 1e-5);
    return distance / deviation * w.at("layer/gamma") + w.at("layer/beta") - 0.5;
  }
  if (layer == "cross_attention") return attention(w, x, at::narrow(x * x, 1, 0, 3), false);
  if (layer == "attention" || layer == "attention_with_dropout") return attention(w, x, x, true);
  if (layer == "conv2d_transpose")  // 3 x 3, stride 2: each number adds its stamp
    return at::conv_transpose2d(x.unsqueeze(1), w.at("layer/W"), w.at("layer/b"), 2, 1, 1);
  const at::Tensor a = at::tanh(at::linear(x.flatten(1), w.at("a/W").detach()));
  const at::Tensor b = at::tanh(at::linear(a, w.at("b/W").detach()));
  return at::tanh(at::linear(b, w.at("c/W") * 0.5)) + at::square(w.at("a/W")).sum() * 0.1;
}

}  // namespace

Weights trained(const std::string& layer, const Weights& first, double rate) {
  At weights;
  for (const auto& [name, weight] : first)
    weights[name] = at::tensor(weight.values, at::kDouble)
                        .reshape(weight.shape)
                        .to(at::kFloat)
                        .requires_grad_();
  for (int64_t point = 0; point < kPoints; ++point) {
    const at::Tensor x = at::tensor(wave(point)).reshape({kRows, kSteps, kWidth});
    const at::Tensor i = at::tensor(ids(point)).reshape({kRows, kSteps});
    const at::Tensor cost = at::square(output(layer, weights, x, i)).mean();
    std::vector<at::Tensor> all;
    for (const auto& [name, weight] : weights) all.push_back(weight);
    const auto gradients = torch::autograd::grad({cost}, all, {}, std::nullopt, false, true);
    const torch::autograd::AutoGradMode guard(false);
    for (size_t k = 0; k < all.size(); ++k)
      if (gradients[k].defined()) all[k].sub_(gradients[k] * rate);
  }
  Weights result;
  for (const auto& [name, weight] : weights) {
    const at::Tensor values = weight.detach().to(at::kDouble).contiguous();
    const auto* data = values.const_data_ptr<double>();
    result[name] = {first.at(name).shape, {data, data + values.numel()}};
  }
  return result;
}

}  // namespace broch::layers_test
