// resnet.hpp: residual networks. Sources: He, Zhang, Ren and Sun, Deep residual learning for image
// recognition, 2015; by the same authors, Identity mappings in deep residual networks, 2016
// (preactivation); Xie et al., Aggregated residual transformations for deep neural networks, 2016
// (groups); Goyal et al., Accurate, large minibatch SGD, 2017 (zero_init_residual). The names are
// torchvision's.
#pragma once
#include <optional>

#include "classifier.hpp"
#include "layers.hpp"
#include "residual.hpp"

namespace broch::zoo {

enum class ResnetForm { imagenet, cifar };
enum class ResnetBlock { basic, bottleneck };
enum class ResnetShortcut { projection, padding };

struct ResnetOptions : ClassifierOptions {
  ResnetForm form;
  int64_t depth;
  std::optional<std::vector<int64_t>> blocks;
  std::optional<ResnetBlock> block;
  std::optional<ResnetShortcut> shortcut;
  bool preactivation, zero_init_residual;
  int64_t groups, width_per_group, channels;
  std::optional<int64_t> width, image_size;

  static constexpr auto schema = broch::options(
      ClassifierOptions::with_classes(1000),
      broch::option("form", &ResnetOptions::form,
                    "imagenet: four stages behind a convolution of 7x7 pixels and a maximum; "
                    "cifar: three stages behind a convolution of 3x3 pixels.")
          .one_of("imagenet", "cifar")
          .by_default("imagenet"),
      broch::option("depth", &ResnetOptions::depth,
                    "Number of layers. imagenet: 18, 34, 50, 101 or 152; cifar: 6 n + 2, or "
                    "9 n + 2 with bottlenecks.")
          .minimum(8)
          .by_default(50),
      broch::option("blocks", &ResnetOptions::blocks,
                    "Residual blocks of each stage, such as [3, 4, 6, 3]; null: as depth says.")
          .minimum(1)
          .min_items(1)
          .max_items(8),
      broch::option("block", &ResnetOptions::block,
                    "basic: two convolutions of 3x3 pixels. bottleneck: one of 3x3 between two of "
                    "1x1 pixels. null: bottleneck for the form imagenet from depth 50 on.")
          .one_of("basic", "bottleneck"),
      broch::option("shortcut", &ResnetOptions::shortcut,
                    "What is added where a block changes the size. projection: a convolution of "
                    "1x1 pixels; padding: every second pixel, with zeros in the new channels. "
                    "null: projection for the form imagenet, padding for cifar.")
          .one_of("projection", "padding"),
      broch::option("preactivation", &ResnetOptions::preactivation,
                    "Batch norm and relu before each convolution instead of behind it.")
          .by_default(false),
      broch::option("groups", &ResnetOptions::groups,
                    "Groups of the 3x3 convolutions of bottlenecks; ResNeXt-50 32x4d has 32.")
          .minimum(1)
          .by_default(1),
      broch::option("width_per_group", &ResnetOptions::width_per_group,
                    "Channels of each of these groups in the first stage, for width 64; ResNeXt-50 "
                    "32x4d has 4, Wide ResNet-50-2 has 128.")
          .minimum(1)
          .by_default(64),
      broch::option("width", &ResnetOptions::width,
                    "Channels of the first stage; null: 64 for the form imagenet, 16 for cifar.")
          .minimum(1),
      broch::option("channels", &ResnetOptions::channels, "Channels of an image.")
          .minimum(1)
          .by_default(3),
      broch::option("image_size", &ResnetOptions::image_size,
                    "Height and width of an image; null: 224 for the form imagenet, 32 for cifar.")
          .minimum(1),
      broch::option("zero_init_residual", &ResnetOptions::zero_init_residual,
                    "The scales of the last batch norm of each block begin with 0, so that at "
                    "first a block adds nothing to its shortcut.")
          .by_default(false));
};

class Resnet final : public Classifier {
 public:
  Resnet(const Host& host, const ResnetOptions& options)
      : Classifier(host, options, image_shape(options)),
        options_(options),
        imagenet_(options.form == ResnetForm::imagenet),
        bottleneck_(options.block.value_or(imagenet_ && options.depth >= 50
                                               ? ResnetBlock::bottleneck
                                               : ResnetBlock::basic) == ResnetBlock::bottleneck),
        blocks_(options.blocks ? *options.blocks : blocks_of_depth()) {
    if (!bottleneck_ && (options.groups != 1 || options.width_per_group != 64))
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  std::string(options.groups != 1 ? "/groups" : "/width_per_group") +
                      ": found together with the block basic, expected the block bottleneck");
    if (options.zero_init_residual && options.preactivation)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/zero_init_residual: found together with preactivation, where no batch norm is "
                  "the last of a block");
  }

  std::string optimizer() override {
    return R"({"use": "momentum", "with": {
        "learning_rate": 0.1, "momentum": 0.9, "weight_decay": 1e-4}})";
  }

 private:
  static std::vector<int64_t> image_shape(const ResnetOptions& options) {
    const int64_t side =
        options.image_size.value_or(options.form == ResnetForm::imagenet ? 224 : 32);
    return {options.channels, side, side};
  }

  std::vector<int64_t> blocks_of_depth() const {
    const int64_t depth = options_.depth;
    if (!imagenet_) {
      const int64_t each = bottleneck_ ? 9 : 6;
      if (depth % each != 2) refuse_depth(std::to_string(each) + " n + 2");
      return {depth / each, depth / each, depth / each};
    }
    switch (depth) {
      case 18:
        return {2, 2, 2, 2};
      case 34:
      case 50:
        return {3, 4, 6, 3};
      case 101:
        return {3, 4, 23, 3};
      case 152:
        return {3, 8, 36, 3};
      default:
        refuse_depth("18, 34, 50, 101 or 152");
    }
  }
  [[noreturn]] void refuse_depth(const std::string& expected) const {
    throw Error(BROCH_E_INVALID_ARGUMENT, "/depth: found " + std::to_string(options_.depth) +
                                              ", expected " + expected +
                                              "; or give the number of blocks of each stage");
  }

  Tensor logits(Tower& t, const Tensor& image) override {
    const int64_t width = options_.width.value_or(imagenet_ ? 64 : 16);
    Tensor x = residual_conv(t, "conv1", image, width, imagenet_ ? 7 : 3, imagenet_ ? 2 : 1);
    if (!options_.preactivation) x = batch_norm_of(t, "bn1", x, relu);
    if (imagenet_) {
      PoolOptions pool;
      pool.kernel = 3;
      pool.stride = 2;
      pool.padding = 1;
      x = max_pool2d(t, "maxpool", x, pool);
    }
    for (size_t stage = 0; stage < blocks_.size(); ++stage)
      for (int64_t i = 0; i < blocks_[stage]; ++i) {
        const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
        const int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        x = options_.preactivation ? preactivated(t, name, x, width << stage, stride)
                                   : block(t, name, x, width << stage, stride);
      }
    if (options_.preactivation) x = batch_norm_of(t, "bn", x, relu);
    return zoo::linear(t, "fc", global_avg_pool(t, "avgpool", x), options_.classes);
  }

  int64_t outputs(int64_t width) const { return bottleneck_ ? 4 * width : width; }
  // Channels of the 3x3 convolution of a bottleneck.
  int64_t inner(int64_t width) const {
    return width * options_.width_per_group / 64 * options_.groups;
  }

  Tensor block(Tower& t, const std::string& name, const Tensor& x, int64_t width,
               int64_t stride) const {
    const std::string part = name + ".";
    const auto norm = [&](const char* n, const Tensor& y, const Activation& activation,
                          double scale = 1) {
      return batch_norm_of(t, part + n, y, activation, scale);
    };
    const double last = options_.zero_init_residual ? 0 : 1;
    Tensor y;
    if (bottleneck_) {
      const int64_t between = inner(width);
      y = norm("bn1", residual_conv(t, part + "conv1", x, between, 1), relu);
      y = norm("bn2", residual_conv(t, part + "conv2", y, between, 3, stride, options_.groups),
               relu);
      y = norm("bn3", residual_conv(t, part + "conv3", y, outputs(width), 1), nullptr, last);
    } else {
      y = norm("bn1", residual_conv(t, part + "conv1", x, width, 3, stride), relu);
      y = norm("bn2", residual_conv(t, part + "conv2", y, width, 3), nullptr, last);
    }
    Tensor same = x;
    if (changes_shape(t, x, width, stride))
      same = pads() ? padded(t, x, outputs(width), stride)
                    : norm("downsample.1",
                           residual_conv(t, part + "downsample.0", x, outputs(width), 1, stride),
                           nullptr);
    return relu(y + same);
  }

  // The shortcut begins behind the first batch norm and relu if it changes the shape.
  Tensor preactivated(Tower& t, const std::string& name, const Tensor& x, int64_t width,
                      int64_t stride) const {
    const std::string part = name + ".";
    const Tensor first = batch_norm_of(t, part + "bn1", x, relu);
    Tensor y;
    if (bottleneck_) {
      const int64_t between = inner(width);
      y = residual_conv(t, part + "conv1", first, between, 1);
      y = residual_conv(t, part + "conv2", batch_norm_of(t, part + "bn2", y, relu), between, 3,
                        stride, options_.groups);
      y = residual_conv(t, part + "conv3", batch_norm_of(t, part + "bn3", y, relu), outputs(width),
                        1);
    } else {
      y = residual_conv(t, part + "conv1", first, width, 3, stride);
      y = residual_conv(t, part + "conv2", batch_norm_of(t, part + "bn2", y, relu), width, 3);
    }
    if (!changes_shape(t, x, width, stride)) return y + x;
    return y + (pads() ? padded(t, first, outputs(width), stride)
                       : residual_conv(t, part + "downsample.0", first, outputs(width), 1, stride));
  }

  bool changes_shape(const Tower& t, const Tensor& x, int64_t width, int64_t stride) const {
    return stride != 1 || t.size(x, 1) != outputs(width);
  }
  bool pads() const {
    return options_.shortcut.value_or(imagenet_
                                          ? ResnetShortcut::projection
                                          : ResnetShortcut::padding) == ResnetShortcut::padding;
  }
  // Option A of the paper: half of the new channels come before the old ones, half behind them.
  static Tensor padded(Tower& t, const Tensor& x, int64_t channels, int64_t stride) {
    Ops& ops = t.ops();
    const Tensor pixels = stride == 1 ? x : ops.avg_pool2d(x, {1, 1}, {stride, stride});
    const int64_t added = channels - t.size(x, 1), before = added / 2;
    return ops.constant_pad_nd(pixels, {0, 0, 0, 0, before, added - before});
  }

  ResnetOptions options_;
  bool imagenet_, bottleneck_;
  std::vector<int64_t> blocks_;
};

}  // namespace broch::zoo
