// kinds.cpp: a model with one layer of each kind beside the others. The cost is the sum of the mean
// squares of what they give, so that each kind is trained by itself.
#include <broch/layers.hpp>

#include "waves.hpp"

namespace {

using namespace broch;

// (3, 4, 5, 4): four different channels.
Tensor image_of(Ops& ops, const Tensor& x) {
  return ops.stack({x, x * x, ops.sin(x), ops.cos(x)}, 1);
}
// Where a layer has no variables, x is multiplied by one.
Tensor weighed(Tower& t, const Tensor& x) {
  return x * t.variable("w", {1}, Init::constant(0.7)).value;
}

using Kind = std::function<Tensor(Tower&, const Tensor& x, const Tensor& image)>;

AttentionOptions attention_of(int64_t heads, bool causal) {
  AttentionOptions options;
  options.heads = heads;
  options.causal = causal;
  return options;
}
AttentionOptions grouped() {
  AttentionOptions options = attention_of(2, true);
  options.kv_heads = 1;
  options.use_bias = false;
  options.rotary = RotaryOptions();
  return options;
}

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all = {
      {"conv1d",
       [](Tower& t, const Tensor& x, const Tensor&) {
         return conv1d(
             t, "layer", x,
             with(Conv1dOptions(), &Conv1dOptions::channels, 4, &Conv1dOptions::stride, 2));
       }},
      {"conv2d",
       [](Tower& t, const Tensor&, const Tensor& image) {
         Conv2dOptions options;
         options.channels = 6;
         options.kernel = {3, 2};
         options.stride = {2, 1};
         options.padding = {1, 0};
         options.dilation = {1, 2};
         options.groups = 2;
         options.activation = silu;
         return conv2d(t, "layer", image, options);
       }},
      {"conv3d",
       [](Tower& t, const Tensor&, const Tensor& image) {
         Conv3dOptions options;
         options.channels = 3;
         options.kernel = {1, 3, 2};
         options.use_bias = false;
         return conv3d(t, "layer", t.ops().reshape(image, {3, 2, 2, 5, 4}), options);
       }},
      {"conv2d_transpose",
       [](Tower& t, const Tensor&, const Tensor& image) {
         Conv2dTransposeOptions options;
         options.channels = 2;
         options.kernel = {3, 4};
         options.padding = 1;
         options.groups = 2;
         return conv2d_transpose(t, "layer", image, options);
       }},
      {"linear",
       [](Tower& t, const Tensor& x, const Tensor&) {
         return linear(t, "layer", x,
                       with(FullyConnectedOptions(), &FullyConnectedOptions::units, 3,
                            &FullyConnectedOptions::activation, gelu_tanh));
       }},
      {"batch_norm",
       [](Tower& t, const Tensor&, const Tensor& image) {
         BatchNormOptions options;
         options.use_scale = false;
         return batch_norm(t, "layer", image, options) - Scalar(0.5);
       }},
      {"virtual_batch",
       [](Tower& t, const Tensor&, const Tensor& image) {
         BatchNormOptions options;
         options.virtual_batch = 1;
         return batch_norm(t, "layer", weighed(t, image), options) - Scalar(0.5);
       }},
      {"batch_norm_kept",
       [](Tower& t, const Tensor&, const Tensor& image) {
         BatchNormOptions options;
         options.update = false;
         return batch_norm(t, "layer", weighed(t, image), options) - Scalar(0.5);
       }},
      {"batch_norm_fixed",
       [](Tower& t, const Tensor&, const Tensor& image) {
         BatchNormOptions options;
         options.training = false;
         return batch_norm(t, "layer", weighed(t, image), options) - Scalar(0.5);
       }},
      {"batch_renorm",
       [](Tower& t, const Tensor&, const Tensor& image) {
         BatchRenormOptions options;
         options.rmax = 1.1;
         options.dmax = 0.2;
         options.momentum = 0.9;
         return batch_renorm(t, "layer", weighed(t, t.ops().exp(image)), options) - Scalar(0.5);
       }},
      {"group_norm",
       [](Tower& t, const Tensor&, const Tensor& image) {
         return group_norm(t, "layer", weighed(t, t.ops().exp(image)),
                           with(GroupNormOptions(), &GroupNormOptions::groups, 2)) -
                Scalar(0.5);
       }},
      {"instance_norm",
       [](Tower& t, const Tensor&, const Tensor& image) {
         return instance_norm(t, "layer", weighed(t, t.ops().exp(image))) - Scalar(0.5);
       }},
      {"rms_norm",
       [](Tower& t, const Tensor& x, const Tensor&) {
         return rms_norm(t, "layer", t.ops().exp(weighed(t, x))) - Scalar(0.5);
       }},
      {"prelu",
       [](Tower& t, const Tensor&, const Tensor& image) {
         return prelu(t, "layer", image - Scalar(0.3),
                      with(PreluOptions(), &PreluOptions::by_channel, true));
       }},
      {"maxout", [](Tower& t, const Tensor&,
                    const Tensor& image) { return maxout(t, "layer", weighed(t, image), 2); }},
      {"fixed_unpool",
       [](Tower& t, const Tensor&, const Tensor& image) {
         const Tensor y = weighed(t, image);
         return fixed_unpool(t, "layer", y, {1, 2}, {1, 0.5}) +
                fixed_unpool(t, "corner", y, {1, 2});
       }},
      {"roi_align",
       [](Tower& t, const Tensor&, const Tensor& image) {
         const Tensor boxes = t.constant<float>(
             {0.3F, 1.1F,  2.9F, 4.3F, -2.2F, -0.7F, 2.3F, 6.9F, 1.2F, 0.4F, 1.7F, 0.9F,
              0.9F, -3.1F, 8.6F, 3.3F, 2.2F,  1.3F,  0.1F, 2.4F, 0.6F, 0.7F, 3.3F, 4.6F},
             {3, 2, 4});
         const Tensor w = t.variable("w", {1}, Init::constant(0.7)).value;
         RoiAlignOptions options;
         options.resolution = {2, 3};
         options.scale = 1.3;
         return roi_align(t, "layer", image * w, boxes * w, options);
       }},
      {"correlation",
       [](Tower& t, const Tensor&, const Tensor& image) {
         CorrelationOptions options;
         options.reach = 3;
         options.stride = 2;
         const Tensor y = weighed(t, image);
         return correlation(t, "layer", y, t.ops().sin(y), options);
       }},
      {"upsample_nearest",
       [](Tower& t, const Tensor&, const Tensor& image) {
         return upsample_nearest(t, "layer", weighed(t, image), {3, 2});
       }},
      {"upsample_bilinear",
       [](Tower& t, const Tensor&, const Tensor& image) {
         return upsample_bilinear(t, "layer", weighed(t, image), 2);
       }},
      {"pixel_shuffle",
       [](Tower& t, const Tensor&, const Tensor& image) {
         return pixel_shuffle(t, "layer", weighed(t, image), 2);
       }},
      {"pools",
       [](Tower& t, const Tensor& x, const Tensor& image) {
         Ops& ops = t.ops();
         const Tensor w = t.variable("w", {1}, Init::constant(0.7)).value;
         const Tensor y = x * w, z = image * w;
         const Tensor volume = ops.reshape(z, {3, 2, 2, 5, 4});
         const auto mean = [&](const Tensor& of) { return ops.mean(ops.square(of)); };
         return mean(max_pool1d(t, "a", y)) + mean(avg_pool1d(t, "b", y)) +
                mean(max_pool3d(t, "c", volume)) +
                mean(avg_pool3d(t, "d", volume, {{1, 3, 2}, 2, {0, 1, 0}})) +
                mean(adaptive_avg_pool2d(t, "e", z, {2, 1})) + mean(global_max_pool(t, "f", z));
       }},
      {"position_embedding",
       [](Tower& t, const Tensor& x, const Tensor&) {
         return position_embedding(
             t, "layer", x, with(PositionEmbeddingOptions(), &PositionEmbeddingOptions::rows, 7));
       }},
      {"rotary",
       [](Tower& t, const Tensor& x, const Tensor&) {
         const Tensor heads = t.ops().unsqueeze(weighed(t, x), 1);
         RotaryOptions neighbors;
         neighbors.interleaved = true;
         neighbors.base = 100;
         return rotary(t, "layer", heads) * rotary(t, "other", heads, neighbors);
       }},
      {"grouped", [](Tower& t, const Tensor& x,
                     const Tensor&) { return multi_head_attention(t, "layer", x, grouped()); }},
      {"transformer",
       [](Tower& t, const Tensor& x, const Tensor&) {
         TransformerBlockOptions options;
         options.attention = attention_of(2, false);
         options.hidden = 6;
         return transformer_block(t, "layer", x, options);
       }},
      {"llama",
       [](Tower& t, const Tensor& x, const Tensor&) {
         TransformerBlockOptions options;
         options.attention = grouped();
         options.gated = options.rms = true;
         options.activation = silu;
         options.use_bias = false;
         return transformer_block(t, "layer", x, options);
       }},
      {"torch.conv",
       [](Tower& t, const Tensor&, const Tensor& image) {
         Conv2dOptions options;
         options.channels = 2;
         options.names = Names::torch;
         return conv2d(t, "torch.conv", image, options);
       }},
      {"torch.bn",
       [](Tower& t, const Tensor&, const Tensor& image) {
         BatchNormOptions options;
         options.names = Names::torch;
         return batch_norm(t, "torch.bn", image, options) - Scalar(0.5);
       }},
      {"torch.lstm",
       [](Tower& t, const Tensor& x, const Tensor&) {
         RecurrentOptions options;
         options.units = 3;
         options.names = Names::torch;
         return unroll<LstmCell>(t, "torch.lstm", x, options).outputs;
       }},
      {"torch.attn",
       [](Tower& t, const Tensor& x, const Tensor&) {
         AttentionOptions options = attention_of(2, false);
         options.names = Names::torch;
         return multi_head_attention(t, "torch.attn", x, options);
       }},
      {"torch.block",
       [](Tower& t, const Tensor& x, const Tensor&) {
         TransformerBlockOptions options;
         options.attention = attention_of(2, true);
         options.hidden = 6;
         options.pre_norm = false;
         options.activation = relu;
         options.names = Names::torch;
         return transformer_block(t, "torch.block", x, options);
       }},
  };
  return all;
}

class AllKinds final : public Model {
 public:
  explicit AllKinds(const Host& host) : Model(host) {}
  std::vector<Input> inputs() override {
    using namespace layers_test;
    return {{"x", BROCH_FLOAT32, {kRows, kSteps, kWidth}, {}},
            {"ids", BROCH_INT64, {kRows, kSteps}, {}}};
  }
  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    Ops& ops = t.ops();
    const Tensor x = inputs[0], image = image_of(ops, x);
    Tensor cost = ops.zeros({}, BROCH_FLOAT32);
    for (const auto& [name, kind] : kinds()) {
      // The name of a layer with names of PyTorch is a path already.
      std::optional<Tower::Scope> scope;
      if (name.find('.') == std::string::npos) scope.emplace(t, name, false);
      cost = cost + ops.mean(ops.square(kind(t, x, image)));
    }
    return t.publish("cost", cost);
  }
};

}  // namespace

BROCH_MODEL(AllKinds, "layers.kinds", "1.0.0", "One layer of each kind.")
