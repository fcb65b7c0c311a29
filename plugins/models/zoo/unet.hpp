// unet.hpp: a network that gives each pixel of an image a class. Source: Ronneberger, Fischer and
// Brox, U-Net: convolutional networks for biomedical image segmentation, 2015, with a border and
// batch norm as in the PyTorch version in milesial/Pytorch-UNet, whose names it has.
#pragma once
#include <array>

#include "classifier.hpp"
#include "layers.hpp"
#include "residual.hpp"

namespace broch::zoo {

struct UnetOptions : ClassifierOptions {
  int64_t channels, width;
  std::array<int64_t, 2> image_size;
  bool bilinear;

  static constexpr auto schema = broch::options(
      ClassifierOptions::with_classes(2),
      broch::option("channels", &UnetOptions::channels, "Channels of an image.")
          .minimum(1)
          .by_default(3),
      broch::option("width", &UnetOptions::width,
                    "Channels at full size, which double each time that the size is halved.")
          .minimum(2)
          .by_default(64),
      broch::option("image_size", &UnetOptions::image_size, "Height and width of an image.")
          .minimum(16)
          .by_default(256, 256),
      broch::option("bilinear", &UnetOptions::bilinear,
                    "Enlarge by bilinear interpolation instead of a transposed convolution.")
          .by_default(false));
};

// Inputs: N images (N, C, H, W) and the classes of their pixels (N, H, W).
class Unet final : public Model {
 public:
  Unet(const Host& host, const UnetOptions& options) : Model(host), options_(options) {}

  std::vector<Input> inputs() override {
    const auto [height, width] = options_.image_size;
    return {{"image", BROCH_FLOAT32, {-1, options_.channels, height, width}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1, height, width}, {"B", "", ""}}};
  }

  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    const Tensor scores = t.publish("logits", logits(t, inputs[0]));
    return classified(t, scores, inputs[1], options_.label_smoothing);
  }

  std::string optimizer() override {
    return R"({"use": "adam", "with": {"learning_rate": 0.0001}})";
  }

 private:
  // Returns (N, classes, H, W).
  Tensor logits(Tower& t, const Tensor& image) const {
    const int64_t width = options_.width, share = options_.bilinear ? 2 : 1;
    std::array<Tensor, 5> down;
    down[0] = two_convs(t, "inc.double_conv", image, width, width);
    for (int64_t i = 1; i < 5; ++i) {
      const std::string name = "down" + std::to_string(i) + ".maxpool_conv.";
      const int64_t channels = (width << i) / (i == 4 ? share : 1);
      down[size_t(i)] =
          two_convs(t, name + "1.double_conv", max_pool2d(t, name + "0", down[size_t(i) - 1]),
                    channels, channels);
    }
    Tensor x = down[4];
    for (int64_t i = 1; i < 5; ++i)
      x = up(t, "up" + std::to_string(i), x, down[size_t(4 - i)],
             (width << (4 - i)) / (i == 4 ? 1 : share));
    return zoo::conv2d(t, "outc.conv", x, options_.classes, 1);
  }

  static Tensor two_convs(Tower& t, const std::string& name, const Tensor& x, int64_t between,
                          int64_t channels) {
    const auto conv = [&](const char* member, const Tensor& y, int64_t outputs) {
      Conv2dOptions options;
      options.channels = outputs;
      options.use_bias = false;
      options.weight = torch_default(t.size(y, 1) * 9);
      options.names = Names::torch;
      return broch::conv2d(t, name + member, y, options);
    };
    const Tensor y = batch_norm_of(t, name + ".1", conv(".0", x, between), relu);
    return batch_norm_of(t, name + ".4", conv(".3", y, channels), relu);
  }

  // Enlarges x, puts it behind the larger picture of the way down, and convolves both.
  Tensor up(Tower& t, const std::string& name, const Tensor& x, const Tensor& larger,
            int64_t channels) const {
    Ops& ops = t.ops();
    const int64_t inputs = t.size(x, 1), height = t.size(larger, 2), width = t.size(larger, 3);
    const Tensor y = options_.bilinear
                         ? ops.upsample_bilinear2d(x, {2 * t.size(x, 2), 2 * t.size(x, 3)}, true)
                         : upsampling(t, name + ".up", x, inputs / 2, 2);
    // Where a size was odd on the way down, a row or a column is missing.
    const int64_t rows = height - t.size(y, 2), columns = width - t.size(y, 3);
    const Tensor padded =
        rows == 0 && columns == 0 ? y : ops.constant_pad_nd(y, {0, columns, 0, rows});
    return two_convs(t, name + ".conv.double_conv", ops.cat({larger, padded}, 1),
                     options_.bilinear ? inputs : channels, channels);
  }

  UnetOptions options_;
};

}  // namespace broch::zoo
