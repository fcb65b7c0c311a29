// vit.hpp: a transformer for images. Source: Dosovitskiy et al., An image is worth 16x16 words:
// transformers for image recognition at scale, 2020. The names are torchvision's.
#pragma once
#include "classifier.hpp"
#include "layers.hpp"

namespace broch::zoo {

struct VitOptions : ClassifierOptions {
  int64_t image_size, channels, patch_size, layers, heads, width, hidden;
  double dropout, attention_dropout;

  static constexpr auto schema = broch::options(
      ClassifierOptions::with_classes(1000),
      broch::option("image_size", &VitOptions::image_size,
                    "Height and width of an image, a multiple of patch_size.")
          .minimum(1)
          .by_default(224),
      broch::option("channels", &VitOptions::channels, "Channels of an image.")
          .minimum(1)
          .by_default(3),
      broch::option("patch_size", &VitOptions::patch_size, "Height and width of a patch.")
          .minimum(1)
          .by_default(16),
      broch::option("layers", &VitOptions::layers, "Number of blocks.").minimum(1).by_default(12),
      broch::option("heads", &VitOptions::heads, "Heads of attention, which divide width.")
          .minimum(1)
          .by_default(12),
      broch::option("width", &VitOptions::width, "Numbers for each patch.")
          .minimum(1)
          .by_default(768),
      broch::option("hidden", &VitOptions::hidden, "Units between the two linear maps of a block.")
          .minimum(1)
          .by_default(3072),
      broch::option("dropout", &VitOptions::dropout,
                    "Share of the embedding and of the results of each block that is dropped in "
                    "training.")
          .minimum(0)
          .below(1)
          .by_default(0),
      broch::option("attention_dropout", &VitOptions::attention_dropout,
                    "Share of the weights of attention that is dropped in training.")
          .minimum(0)
          .below(1)
          .by_default(0));
};

class Vit final : public Classifier {
 public:
  Vit(const Host& host, const VitOptions& options)
      : Classifier(host, options, {options.channels, options.image_size, options.image_size}),
        options_(options) {
    if (options.image_size % options.patch_size)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/image_size: found " + std::to_string(options.image_size) +
                      ", expected a multiple of patch_size, " + std::to_string(options.patch_size));
    if (options.width % options.heads)
      throw Error(BROCH_E_INVALID_ARGUMENT, "/heads: found " + std::to_string(options.heads) +
                                                ", expected a divisor of width, " +
                                                std::to_string(options.width));
  }

  std::string optimizer() override {
    return R"({"use": "adamw", "with": {"learning_rate": 0.001, "weight_decay": 0.05}})";
  }

 private:
  Tensor logits(Tower& t, const Tensor& image) override {
    Ops& ops = t.ops();
    const int64_t width = options_.width;
    Tensor x = patches(t, image);  // (N, S, D)
    const Tensor token = t.variable("class_token", {1, 1, width}, Init::constant(0)).value;
    x = ops.cat({ops.expand(token, {t.size(x, 0), 1, width}), x}, 1);
    x = x +
        t.variable("encoder.pos_embedding", {1, t.size(x, 1), width}, Init::normal(0, 0.02)).value;
    x = dropout(t, "encoder.dropout", x, options_.dropout);
    for (int64_t i = 0; i < options_.layers; ++i)
      x = block(t, "encoder.layers.encoder_layer_" + std::to_string(i) + ".", x);
    x = ops.select(norm(t, "encoder.ln", x), 1, 0);
    return zoo::linear(t, "heads.head", x, options_.classes,
                       {Init::constant(0), Init::constant(0)});
  }

  Tensor patches(Tower& t, const Tensor& image) const {
    const int64_t side = options_.patch_size;
    Conv2dOptions conv;
    conv.channels = options_.width;
    conv.kernel = conv.stride = side;
    conv.padding = 0;
    // torchvision truncates at 2 and -2, which is far away.
    conv.weight = Init::normal(0, std::sqrt(1 / double(options_.channels * side * side)));
    conv.names = Names::torch;
    const Tensor x = broch::conv2d(t, "conv_proj", image, conv);
    return t.ops().transpose(t.ops().flatten(x, 2), 1, 2);
  }

  // x: (N, S, D). Returns the same shape.
  Tensor block(Tower& t, const std::string& name, const Tensor& x) const {
    const Tensor y = norm(t, name + "ln_1", x);
    const Tensor sum = x + dropout(t, name + "dropout",
                                   self_attention(t, name + "self_attention", y), options_.dropout);
    const LinearInits inits{Init::glorot_uniform(), Init::normal(0, 1e-6)};
    Tensor z = norm(t, name + "ln_2", sum);
    z = gelu(zoo::linear(t, name + "mlp.0", z, options_.hidden, inits));
    z = dropout(t, name + "mlp.2", z, options_.dropout);
    z = zoo::linear(t, name + "mlp.3", z, options_.width, inits);
    return sum + dropout(t, name + "mlp.4", z, options_.dropout);
  }

  // The variables of torch.nn.MultiheadAttention.
  Tensor self_attention(Tower& t, const std::string& name, const Tensor& x) const {
    Ops& ops = t.ops();
    const int64_t width = options_.width;
    const Tensor w =
        t.variable(name + ".in_proj_weight", {3 * width, width}, Init::glorot_uniform()).value;
    const Tensor b = t.variable(name + ".in_proj_bias", {3 * width}, Init::constant(0)).value;
    const Tensor all = ops.linear(x, w, b);
    const auto part = [&](int64_t i) {
      return by_head(t, ops.narrow(all, 2, i * width, width), options_.heads);
    };
    const Tensor y = dot_product_attention(t, name + ".dropout", part(0), part(1), part(2),
                                           {false, options_.attention_dropout});
    return zoo::linear(t, name + ".out_proj", heads_joined(t, y), width,
                       {torch_default(width), Init::constant(0)});
  }

  static Tensor norm(Tower& t, const std::string& name, const Tensor& x) {
    LayerNormOptions norm;
    norm.epsilon = 1e-6;
    norm.names = Names::torch;
    return layer_norm(t, name, x, norm);
  }

  VitOptions options_;
};

}  // namespace broch::zoo
