// wide_resnet.hpp: residual networks with few layers and many channels. Source: Zagoruyko and
// Komodakis, Wide residual networks, 2016. The names are those of the PyTorch version in
// xternalz/WideResNet-pytorch. The wide networks of torchvision are those of resnet with
// width_per_group 128.
#pragma once
#include "classifier.hpp"
#include "layers.hpp"
#include "residual.hpp"

namespace broch::zoo {

struct WideResnetOptions : ClassifierOptions {
  int64_t depth, widen_factor;
  double dropout;
  int64_t channels, image_size;

  static constexpr auto schema = broch::options(
      ClassifierOptions::with_classes(10),
      broch::option("depth", &WideResnetOptions::depth, "Number of layers, 6 n + 4.")
          .minimum(10)
          .by_default(28),
      broch::option("widen_factor", &WideResnetOptions::widen_factor,
                    "How many times as many channels as a thin network, which has 16, 32 and 64.")
          .minimum(1)
          .by_default(10),
      broch::option("dropout", &WideResnetOptions::dropout,
                    "Share that is dropped between the two convolutions of a block in training.")
          .minimum(0)
          .below(1)
          .by_default(0),
      broch::option("channels", &WideResnetOptions::channels, "Channels of an image.")
          .minimum(1)
          .by_default(3),
      broch::option("image_size", &WideResnetOptions::image_size, "Height and width of an image.")
          .minimum(4)
          .by_default(32));
};

class WideResnet final : public Classifier {
 public:
  WideResnet(const Host& host, const WideResnetOptions& options)
      : Classifier(host, options, {options.channels, options.image_size, options.image_size}),
        options_(options) {
    if (options.depth % 6 != 4)
      throw Error(BROCH_E_INVALID_ARGUMENT, "/depth: found " + std::to_string(options.depth) +
                                                ", expected 6 n + 4, such as 16, 28 or 40");
  }

  std::string optimizer() override {
    return R"({"use": "momentum", "with": {
        "learning_rate": 0.1, "momentum": 0.9, "nesterov": true, "weight_decay": 5e-4}})";
  }

 private:
  Tensor logits(Tower& t, const Tensor& image) override {
    Tensor x = residual_conv(t, "conv1", image, 16, 3);
    for (int64_t stage = 0; stage < 3; ++stage)
      for (int64_t i = 0; i < (options_.depth - 4) / 6; ++i) {
        const std::string name =
            "block" + std::to_string(stage + 1) + ".layer." + std::to_string(i) + ".";
        const int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        x = block(t, name, x, (16 << stage) * options_.widen_factor, stride);
      }
    x = global_avg_pool(t, "pool", batch_norm_of(t, "bn1", x, relu));
    const LinearInits inits{torch_default(t.size(x, 1)), Init::constant(0)};
    return zoo::linear(t, "fc", x, options_.classes, inits);
  }

  // The shortcut begins behind the first batch norm and relu if it changes the number of channels.
  Tensor block(Tower& t, const std::string& name, const Tensor& x, int64_t channels,
               int64_t stride) const {
    const Tensor first = batch_norm_of(t, name + "bn1", x, relu);
    Tensor y = residual_conv(t, name + "conv1", first, channels, 3, stride);
    y = batch_norm_of(t, name + "bn2", y, relu);
    y = dropout(t, name + "dropout", y, options_.dropout);
    y = residual_conv(t, name + "conv2", y, channels, 3);
    if (t.size(x, 1) == channels) return y + x;
    return y + residual_conv(t, name + "convShortcut", first, channels, 1, stride);
  }

  WideResnetOptions options_;
};

}  // namespace broch::zoo
