// kinds_plain.cpp: the layers of kinds.cpp by their definitions.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>

#include "kinds.hpp"
#include "plain.hpp"
#include "waves.hpp"

namespace broch::layers_test {
namespace {

using at::Tensor;

// The variables of one kind.
class Own {
 public:
  Own(std::map<std::string, Tensor>& all, std::string prefix)
      : all_(all), prefix_(std::move(prefix)) {}
  Tensor operator[](const std::string& name) const { return all_.at(prefix_ + name); }
  void set(const std::string& name, const Tensor& value) const {
    all_.at(prefix_ + name) = value.detach();
  }
  Own inner(const std::string& more) const { return {all_, prefix_ + more}; }

 private:
  std::map<std::string, Tensor>& all_;
  std::string prefix_;
};

Tensor image_of(const Tensor& x) { return at::stack({x, x * x, at::sin(x), at::cos(x)}, 1); }

// Normalizes over some dimensions, with the variance divided by the number of elements.
Tensor normal(const Tensor& x, at::IntArrayRef dims, double epsilon) {
  const Tensor distance = x - x.mean(dims, true);
  return distance / at::sqrt(at::square(distance).mean(dims, true) + epsilon);
}
Tensor along_channels(const Tensor& of) { return of.reshape({1, -1, 1, 1}); }

// The mean of a channel and its variance, divided by count - 1.
std::pair<Tensor, Tensor> statistics(const Tensor& x, at::IntArrayRef dims, double count) {
  const Tensor mean = x.mean(dims);
  const Tensor squares = at::square(x - x.mean(dims, true)).mean(dims);
  return {mean.detach(), squares.detach() * (count / (count - 1))};
}
void follow(const Own& w, const std::string& mean, const std::string& variance,
            const std::pair<Tensor, Tensor>& batch) {
  w.set(mean, w[mean] * 0.9 + batch.first * 0.1);
  w.set(variance, w[variance] * 0.9 + batch.second * 0.1);
}

Tensor batch_renorm(const Own& w, const Tensor& x) {
  const std::vector<int64_t> dims = {0, 2, 3};
  const Tensor mean = x.mean(dims), square = at::square(x - x.mean(dims, true)).mean(dims);
  const Tensor deviation = at::sqrt(square + 1e-5);
  const Tensor running = at::sqrt(w["layer/variance/EMA"] + 1e-5);
  const Tensor r = at::clamp(deviation.detach() / running, 1 / 1.1, 1.1);
  const Tensor d = at::clamp((mean.detach() - w["layer/mean/EMA"]) / running, -0.2, 0.2);
  const Tensor y = (x - along_channels(mean)) / along_channels(deviation) * along_channels(r) +
                   along_channels(d);
  follow(w, "layer/mean/EMA", "layer/variance/EMA", statistics(x, dims, 60));
  return y * along_channels(w["layer/gamma"]) + along_channels(w["layer/beta"]) - 0.5;
}

// Pairs turned as complex numbers. x: (…, T, E); first and second: the places of a pair.
Tensor rotary(const Tensor& x, double base, bool interleaved) {
  const int64_t e = x.size(-1), half = e / 2;
  std::vector<Tensor> columns(static_cast<size_t>(e));
  for (int64_t i = 0; i < half; ++i) {
    const int64_t first = interleaved ? 2 * i : i, second = interleaved ? 2 * i + 1 : i + half;
    const Tensor angle =
        at::arange(x.size(-2), at::kFloat) / std::pow(base, 2 * double(i) / double(e));
    const Tensor a = x.select(-1, first), b = x.select(-1, second);
    columns[static_cast<size_t>(first)] = a * at::cos(angle) - b * at::sin(angle);
    columns[static_cast<size_t>(second)] = a * at::sin(angle) + b * at::cos(angle);
  }
  return at::stack(columns, -1);
}

// softmax(q k^T / sqrt(E)) v, head by head; a head of keys serves all heads of its group.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, int64_t heads, int64_t kv_heads,
              bool causal, bool turned) {
  const int64_t each = q.size(2) / heads;
  std::vector<Tensor> parts;
  for (int64_t head = 0; head < heads; ++head) {
    const int64_t shared = head / (heads / kv_heads);
    Tensor one = q.narrow(2, head * each, each), other = k.narrow(2, shared * each, each);
    if (turned) one = rotary(one, 10000, false), other = rotary(other, 10000, false);
    Tensor scores = at::bmm(one, other.transpose(1, 2)) / std::sqrt(double(each));
    if (causal) scores = scores + at::full({kSteps, kSteps}, -INFINITY).triu(1);
    parts.push_back(at::bmm(at::softmax(scores, -1), v.narrow(2, shared * each, each)));
  }
  return at::cat(parts, 2);
}
Tensor grouped(const Own& w, const Tensor& x) {
  const Tensor y = attend(at::matmul(x, w["query/W"].t()), at::matmul(x, w["key/W"].t()),
                          at::matmul(x, w["value/W"].t()), 2, 1, true, true);
  return at::matmul(y, w["out/W"].t());
}
Tensor attention(const Own& w, const Tensor& x) {
  const auto map = [&](const std::string& part, const Tensor& of) {
    return at::matmul(of, w[part + "/W"].t()) + w[part + "/b"];
  };
  return map("out", attend(map("query", x), map("key", x), map("value", x), 2, 2, false, false));
}
Tensor torch_attention(const Own& w, const Tensor& x, bool causal) {
  const Tensor all = at::matmul(x, w["in_proj_weight"].t()) + w["in_proj_bias"];
  const Tensor y = attend(all.narrow(2, 0, kWidth), all.narrow(2, kWidth, kWidth),
                          all.narrow(2, 2 * kWidth, kWidth), 2, 2, causal, false);
  return at::matmul(y, w["out_proj.weight"].t()) + w["out_proj.bias"];
}
Tensor rms(const Tensor& x, double epsilon) {
  return x / at::sqrt(at::square(x).mean({-1}, true) + epsilon);
}
Tensor transformer(const Own& w, Tensor x) {
  const auto norm = [&](const std::string& name, const Tensor& of) {
    return normal(of, {-1}, 1e-5) * w[name + "/gamma"] + w[name + "/beta"];
  };
  x = x + attention(w.inner("attention/"), norm("norm1", x));
  const Tensor y = at::matmul(norm("norm2", x), w["linear1/W"].t()) + w["linear1/b"];
  const Tensor g = y * 0.5 * (1 + at::erf(y * std::sqrt(0.5)));
  return x + at::matmul(g, w["linear2/W"].t()) + w["linear2/b"];
}
Tensor llama(const Own& w, Tensor x) {
  x = x + grouped(w.inner("attention/"), rms(x, 1e-5) * w["norm1/gamma"]);
  const Tensor y = rms(x, 1e-5) * w["norm2/gamma"];
  const Tensor a = at::matmul(y, w["linear1/W"].t()), b = at::matmul(y, w["gate/W"].t());
  return x + at::matmul(a * at::sigmoid(a) * b, w["linear2/W"].t());
}
Tensor torch_block(const Own& w, Tensor x) {
  const auto norm = [&](const std::string& name, const Tensor& of) {
    return normal(of, {-1}, 1e-5) * w[name + ".weight"] + w[name + ".bias"];
  };
  x = norm("norm1", x + torch_attention(w.inner("self_attn."), x, true));
  const Tensor y = at::relu(at::matmul(x, w["linear1.weight"].t()) + w["linear1.bias"]);
  return norm("norm2", x + at::matmul(y, w["linear2.weight"].t()) + w["linear2.bias"]);
}

// One sample of channels, (C, H, W), at a place in pixels.
Tensor sample_of(const Tensor& channels, const Tensor& y, const Tensor& x) {
  const int64_t rows = channels.size(1), columns = channels.size(2);
  const double at_y = y.item<double>(), at_x = x.item<double>();
  if (at_y < -0.5 || at_y > double(rows) + 0.5 || at_x < -0.5 || at_x > double(columns) + 0.5)
    return at::zeros({channels.size(0)});
  const Tensor row = at::clamp(y - 0.5, 0, rows - 1), column = at::clamp(x - 0.5, 0, columns - 1);
  const auto above = int64_t(row.item<double>()), left = int64_t(column.item<double>());
  const int64_t below = std::min(above + 1, rows - 1), right = std::min(left + 1, columns - 1);
  const auto pixel = [&](int64_t i, int64_t j) { return channels.select(1, i).select(1, j); };
  const Tensor down = row - above, across = column - left;
  return (pixel(above, left) * (1 - across) + pixel(above, right) * across) * (1 - down) +
         (pixel(below, left) * (1 - across) + pixel(below, right) * across) * down;
}
Tensor roi_align(const Tensor& x, const Tensor& boxes, int64_t rows, int64_t columns) {
  std::vector<Tensor> cells;
  for (int64_t n = 0; n < boxes.size(0); ++n)
    for (int64_t k = 0; k < boxes.size(1); ++k)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          const Tensor box = boxes[n][k];
          const auto place = [&](int64_t side, double cell, int64_t of) {
            return box[side] + (box[side + 2] - box[side]) * (cell / double(of));
          };
          Tensor sum = at::zeros({x.size(1)});
          for (const double u : {0.25, 0.75})
            for (const double v : {0.25, 0.75})
              sum = sum + sample_of(x[n], place(1, double(i) + u, rows),
                                    place(0, double(j) + v, columns));
          cells.push_back(sum / 4);
        }
  return at::stack(cells);
}
Tensor correlation(const Tensor& a, const Tensor& b, int64_t furthest, int64_t stride) {
  std::vector<Tensor> maps;
  for (int64_t dy = -furthest; dy <= furthest; dy += stride)
    for (int64_t dx = -furthest; dx <= furthest; dx += stride) {
      // Rolled so that b at (y + dy, x + dx) comes to (y, x); what comes from the other side is 0.
      const Tensor padded = at::constant_pad_nd(b, {furthest, furthest, furthest, furthest});
      const Tensor moved = at::roll(padded, {-dy, -dx}, {2, 3})
                               .slice(2, furthest, furthest + b.size(2))
                               .slice(3, furthest, furthest + b.size(3));
      maps.push_back((a * moved).sum(1) / a.size(1));
    }
  return at::stack(maps, 1);
}

// The sum of the mean squares.
Tensor cost_of(std::map<std::string, Tensor>& all, const Tensor& x) {
  const Tensor image = image_of(x);
  std::vector<Tensor> costs;
  const auto add = [&](const Tensor& y) { costs.push_back(at::square(y).mean()); };
  const auto own = [&](const std::string& kind) { return Own(all, kind + "/"); };
  const std::vector<int64_t> all_but_channels = {0, 2, 3};

  add(at::conv1d(x, own("conv1d")["layer/W"], own("conv1d")["layer/b"], 2, 1));
  const Own conv = own("conv2d");
  const Tensor before =
      at::conv2d(image, conv["layer/W"], conv["layer/b"], {2, 1}, {1, 0}, {1, 2}, 2);
  add(before * at::sigmoid(before));
  add(at::conv3d(image.reshape({3, 2, 2, 5, 4}), own("conv3d")["layer/W"], {}, 1, {0, 1, 1}));
  const Own up = own("conv2d_transpose");
  add(at::conv_transpose2d(image, up["layer/W"], up["layer/b"], 2, 1, 0, 2));
  const Own line = own("linear");
  const Tensor y = at::matmul(x, line["layer/W"].t()) + line["layer/b"];
  add(0.5 * y * (1 + at::tanh(std::sqrt(2 / M_PI) * (y + 0.044715 * y * y * y))));

  const Own bn = own("batch_norm");
  add(normal(image, all_but_channels, 1e-5) + along_channels(bn["layer/beta"]) - 0.5);
  follow(bn, "layer/mean/EMA", "layer/variance/EMA", statistics(image, all_but_channels, 60));
  const auto scaled = [](const Own& w, const Tensor& of) {
    return of * along_channels(w["layer/gamma"]) + along_channels(w["layer/beta"]) - 0.5;
  };
  const Own ghost = own("virtual_batch");
  const Tensor ghosts = image * ghost["w"];
  add(scaled(ghost, normal(ghosts, {2, 3}, 1e-5)));
  const auto [means, variances] = statistics(ghosts, {2, 3}, 20);
  follow(ghost, "layer/mean/EMA", "layer/variance/EMA", {means.mean({0}), variances.mean({0})});
  const Own kept = own("batch_norm_kept");
  add(scaled(kept, normal(image * kept["w"], all_but_channels, 1e-5)));
  const Own fixed = own("batch_norm_fixed");
  add(scaled(fixed, image * fixed["w"] / std::sqrt(1 + 1e-5)));
  const Own renorm = own("batch_renorm");
  add(batch_renorm(renorm, at::exp(image) * renorm["w"]));

  const Own group = own("group_norm");
  const Tensor groups = (at::exp(image) * group["w"]).reshape({3, 2, 2, 5, 4});
  add(scaled(group, normal(groups, {2, 3, 4}, 1e-5).reshape({3, 4, 5, 4})));
  const Own instance = own("instance_norm");
  add(scaled(instance, normal(at::exp(image) * instance["w"], {2, 3}, 1e-5)));
  const Own root = own("rms_norm");
  add(rms(at::exp(x * root["w"]), 1e-6) * root["layer/gamma"] - 0.5);

  const Tensor shifted = image - 0.3;
  add(at::where(shifted > 0, shifted, shifted * along_channels(own("prelu")["layer/alpha"])));
  const Tensor wide = image * own("maxout")["w"];
  add(at::stack({at::maximum(wide.select(1, 0), wide.select(1, 1)),
                 at::maximum(wide.select(1, 2), wide.select(1, 3))},
                1));
  const Tensor pixel = image * own("fixed_unpool")["w"];
  add(at::stack({pixel * 2, pixel * 0.5}, 4).reshape({3, 4, 5, 8}));
  const Tensor boxes =
      at::tensor({0.3F, 1.1F,  2.9F, 4.3F, -2.2F, -0.7F, 2.3F, 6.9F, 1.2F, 0.4F, 1.7F, 0.9F,
                  0.9F, -3.1F, 8.6F, 3.3F, 2.2F,  1.3F,  0.1F, 2.4F, 0.6F, 0.7F, 3.3F, 4.6F})
          .reshape({3, 2, 4});
  const Tensor looked = own("roi_align")["w"];
  add(roi_align(image * looked, boxes * looked * 1.3, 2, 3));
  const Tensor alike = image * own("correlation")["w"];
  add(correlation(alike, at::sin(alike), 2, 2));
  add((image * own("upsample_nearest")["w"]).repeat_interleave(3, 2).repeat_interleave(2, 3));
  add(at::upsample_bilinear2d(image * own("upsample_bilinear")["w"], {10, 8}, false));
  const Tensor shuffled = image * own("pixel_shuffle")["w"];
  add(shuffled.reshape({3, 1, 2, 2, 5, 4}).permute({0, 1, 4, 2, 5, 3}).reshape({3, 1, 10, 8}));

  const Tensor one = x * own("pools")["w"], many = image * own("pools")["w"];
  const Tensor volume = many.reshape({3, 2, 2, 5, 4});
  const auto mean = [](const Tensor& of) { return at::square(of).mean(); };
  const Tensor pairs = one.reshape({3, 5, 2, 2});
  const Tensor blocks = volume.narrow(3, 0, 4).reshape({3, 2, 1, 2, 2, 2, 2, 2});
  const Tensor padded = at::constant_pad_nd(volume, {0, 0, 1, 1});
  const Tensor windows = padded.unfold(2, 1, 2).unfold(3, 3, 2).unfold(4, 2, 2);
  const Tensor halves =
      at::stack({many.narrow(2, 0, 3).mean({2, 3}), many.narrow(2, 2, 3).mean({2, 3})}, 2);
  add(mean(pairs.amax(3)) + mean(pairs.mean(3)) + mean(blocks.amax({3, 5, 7})) +
      mean(windows.mean({5, 6, 7})) + mean(halves) + mean(many.amax({2, 3})));

  add(x + own("position_embedding")["layer/W"].narrow(0, 0, kSteps));
  const Tensor turned = (x * own("rotary")["w"]).unsqueeze(1);
  add(rotary(turned, 10000, false) * rotary(turned, 100, true));
  add(grouped(own("grouped/layer"), x));
  add(transformer(own("transformer/layer"), x));
  add(llama(own("llama/layer"), x));

  const Own torch(all, "torch.");
  add(at::conv2d(image, torch["conv.weight"], torch["conv.bias"], 1, 1));
  add(normal(image, all_but_channels, 1e-5) * along_channels(torch["bn.weight"]) +
      along_channels(torch["bn.bias"]) - 0.5);
  follow(torch, "bn.running_mean", "bn.running_var", statistics(image, all_but_channels, 60));
  torch.set("bn.num_batches_tracked", torch["bn.num_batches_tracked"] + 1);
  const Tensor h = at::zeros({1, kRows, 3});
  add(std::get<0>(at::lstm(x, {h, h},
                           {torch["lstm.weight_ih_l0"], torch["lstm.weight_hh_l0"],
                            torch["lstm.bias_ih_l0"], torch["lstm.bias_hh_l0"]},
                           true, 1, 0, true, false, true)));
  add(torch_attention(torch.inner("attn."), x, false));
  add(torch_block(torch.inner("block."), x));
  return at::stack(costs).sum();
}

bool is_trained(const std::string& name) {
  return name.find("EMA") == std::string::npos && name.find("running") == std::string::npos &&
         name.find("tracked") == std::string::npos;
}

}  // namespace

Weights trained_kinds(const Weights& first, double rate) {
  std::map<std::string, Tensor> all;
  for (const auto& [name, weight] : first)
    all[name] = at::tensor(weight.values, at::kDouble)
                    .reshape(weight.shape)
                    .to(at::kFloat)
                    .requires_grad_(is_trained(name));
  for (int64_t point = 0; point < kPoints; ++point) {
    const Tensor cost = cost_of(all, at::tensor(wave(point)).reshape({kRows, kSteps, kWidth}));
    std::vector<Tensor> learnt;
    for (const auto& [name, weight] : all)
      if (is_trained(name)) learnt.push_back(weight);
    const auto gradients = torch::autograd::grad({cost}, learnt);
    const torch::autograd::AutoGradMode guard(false);
    for (size_t k = 0; k < learnt.size(); ++k) learnt[k].sub_(gradients[k] * rate);
  }
  Weights result;
  for (const auto& [name, weight] : all) {
    const Tensor values = weight.detach().to(at::kDouble).contiguous();
    const auto* data = values.const_data_ptr<double>();
    result[name] = {first.at(name).shape, {data, data + values.numel()}};
  }
  return result;
}

const std::map<std::string, std::vector<int64_t>>& shapes_of_kinds() {
  static const auto all = [] {
    std::map<std::string, std::vector<int64_t>> shapes = {
        {"conv1d/layer/W", {4, 5, 3}},
        {"conv1d/layer/b", {4}},
        {"conv2d/layer/W", {6, 2, 3, 2}},
        {"conv2d/layer/b", {6}},
        {"conv3d/layer/W", {3, 2, 1, 3, 2}},
        {"conv2d_transpose/layer/W", {4, 1, 3, 4}},
        {"conv2d_transpose/layer/b", {2}},
        {"linear/layer/W", {3, 4}},
        {"linear/layer/b", {3}},
        {"batch_norm/layer/beta", {4}},
        {"rms_norm/layer/gamma", {4}},
        {"prelu/layer/alpha", {4}},
        {"position_embedding/layer/W", {7, 4}},
        {"torch.conv.weight", {2, 4, 3, 3}},
        {"torch.conv.bias", {2}},
        {"torch.bn.weight", {4}},
        {"torch.bn.bias", {4}},
        {"torch.bn.running_mean", {4}},
        {"torch.bn.running_var", {4}},
        {"torch.bn.num_batches_tracked", {}},
        {"torch.lstm.weight_ih_l0", {12, 4}},
        {"torch.lstm.weight_hh_l0", {12, 3}},
        {"torch.lstm.bias_ih_l0", {12}},
        {"torch.lstm.bias_hh_l0", {12}},
        {"torch.block.linear1.weight", {6, 4}},
        {"torch.block.linear1.bias", {6}},
        {"torch.block.linear2.weight", {4, 6}},
        {"torch.block.linear2.bias", {4}},
        {"transformer/layer/linear1/W", {6, 4}},
        {"transformer/layer/linear1/b", {6}},
        {"transformer/layer/linear2/W", {4, 6}},
        {"transformer/layer/linear2/b", {4}},
        {"llama/layer/linear1/W", {16, 4}},
        {"llama/layer/gate/W", {16, 4}},
        {"llama/layer/linear2/W", {4, 16}},
        {"llama/layer/norm1/gamma", {4}},
        {"llama/layer/norm2/gamma", {4}},
    };
    for (const std::string kind :
         {"virtual_batch", "batch_norm_kept", "batch_norm_fixed", "batch_renorm", "group_norm",
          "instance_norm", "rms_norm", "maxout", "fixed_unpool", "upsample_nearest",
          "upsample_bilinear", "pixel_shuffle", "pools", "rotary", "roi_align", "correlation"})
      shapes[kind + "/w"] = {1};
    for (const std::string kind : {"virtual_batch", "batch_norm_kept", "batch_norm_fixed",
                                   "batch_renorm", "group_norm", "instance_norm"})
      for (const std::string name : {"gamma", "beta"}) shapes[kind + "/layer/" + name] = {4};
    for (const std::string kind :
         {"batch_norm", "virtual_batch", "batch_norm_kept", "batch_norm_fixed", "batch_renorm"})
      for (const std::string name : {"mean/EMA", "variance/EMA"})
        shapes[kind + "/layer/" + name] = {4};
    for (const std::string attention : {"grouped/layer/", "llama/layer/attention/"}) {
      for (const std::string name : {"query/W", "out/W"}) shapes[attention + name] = {4, 4};
      for (const std::string name : {"key/W", "value/W"}) shapes[attention + name] = {2, 4};
    }
    for (const std::string part : {"query", "key", "value", "out"}) {
      shapes["transformer/layer/attention/" + part + "/W"] = {4, 4};
      shapes["transformer/layer/attention/" + part + "/b"] = {4};
    }
    for (const std::string norm : {"norm1", "norm2"}) {
      shapes["transformer/layer/" + norm + "/gamma"] = {4};
      shapes["transformer/layer/" + norm + "/beta"] = {4};
      shapes["torch.block." + norm + ".weight"] = {4};
      shapes["torch.block." + norm + ".bias"] = {4};
    }
    for (const std::string attention : {"torch.attn.", "torch.block.self_attn."}) {
      shapes[attention + "in_proj_weight"] = {12, 4};
      shapes[attention + "in_proj_bias"] = {12};
      shapes[attention + "out_proj.weight"] = {4, 4};
      shapes[attention + "out_proj.bias"] = {4};
    }
    return shapes;
  }();
  return all;
}

}  // namespace broch::layers_test
