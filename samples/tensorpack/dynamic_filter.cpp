// dynamic_filter.cpp: a network that makes the filter of a convolution for each image, here one
// that is sensitive in a given direction. Source: De Brabandere, Jia, Tuytelaars and Van Gool,
// Dynamic filter networks, 2016.
#include <broch/layers.hpp>
#include <cmath>

namespace {

using broch::Scalar;
using broch::Tensor;

// Inputs: N images (N, 1, 32, 32) and N directions (N), from 0 to 2 pi. The cost is the mean square
// of the difference from an image that was filtered by the right filter; the filters themselves are
// not compared. Publishes filter, (N, 1, 9, 9), and for each image filter_error: the squared
// difference from the right filter, by the square of that one.
class DynamicFilter final : public broch::Model {
 public:
  using Model::Model;

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, 32, 32}, {"B", "", "", ""}},
            {"direction", BROCH_FLOAT32, {-1}, {"B"}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor image = inputs[0], direction = ops.unsqueeze(inputs[1], 1);
    const Tensor right = steered(t, direction);
    const Tensor made = t.publish("filter", filter(t, direction));
    const Tensor difference = ops.sum_dim(ops.square(made - right), {1, 2, 3});
    t.publish("filter_error", difference / ops.sum_dim(ops.square(right), {1, 2, 3}));
    const Tensor cost = ops.mse_loss(filtered(t, image, made), filtered(t, image, right));
    return t.publish("cost", cost);
  }

 private:
  static constexpr int64_t kTaps = 9;

  static Tensor filter(broch::Tower& t, const Tensor& direction) {
    broch::FullyConnectedOptions layer;
    layer.activation = [](const Tensor& x) { return broch::leaky_relu(x, 0.2); };
    layer.units = 64;
    Tensor x = broch::fully_connected(t, "fc1", direction - Scalar(kPi), layer);
    layer.units = 128;
    x = broch::fully_connected(t, "fc2", x, layer);
    layer.units = kTaps * kTaps;
    layer.activation = nullptr;
    return t.ops().view(broch::fully_connected(t, "fc3", x, layer), {-1, 1, kTaps, kTaps});
  }

  // Each image by a filter of its own: the batch becomes channels in groups of one.
  static Tensor filtered(broch::Tower& t, const Tensor& image, const Tensor& filter) {
    broch::Ops& ops = t.ops();
    const std::vector<int64_t> shape = t.shape(image);
    const Tensor channels = ops.view(image, {1, shape[0], shape[2], shape[3]});
    const Tensor y = ops.conv2d(channels, filter, {}, {1}, {kTaps / 2}, {1}, shape[0]);
    return ops.view(y, shape);
  }

  // The derivative of a Gaussian in each direction: a sum of those along x and y (Freeman and
  // Adelson, The design and use of steerable filters, 1991).
  static Tensor steered(broch::Tower& t, const Tensor& direction) {
    broch::Ops& ops = t.ops();
    std::vector<float> along_x, along_y;
    for (int64_t y = -kTaps / 2; y <= kTaps / 2; ++y)
      for (int64_t x = -kTaps / 2; x <= kTaps / 2; ++x) {
        const double gauss = std::exp(-double(x * x + y * y) / 2);
        along_x.push_back(float(-double(x) * gauss));
        along_y.push_back(float(-double(y) * gauss));
      }
    const Tensor sum = ops.cos(direction) * t.constant(along_x, {kTaps * kTaps}) +
                       ops.sin(direction) * t.constant(along_y, {kTaps * kTaps});
    return ops.view(sum, {-1, 1, kTaps, kTaps});
  }

  static constexpr double kPi = 3.14159265358979;
};

}  // namespace

BROCH_MODEL(DynamicFilter, "examples.dynamic-filter", "1.0.0",
            "Makes the filter of a convolution for each image.")
