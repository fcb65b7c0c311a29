// spatial_transformer.cpp: finds a digit somewhere in an image and turns it upright, while all that
// is told is the sum of two. Source: Jaderberg, Simonyan, Zisserman and Kavukcuoglu, Spatial
// transformer networks, 2015.
#include <broch/layers.hpp>

namespace {

using broch::Scalar;
using broch::Tensor;

struct Options {
  bool transform;

  static constexpr auto schema = broch::options(
      broch::option(
          "transform", &Options::transform,
          "Whether the network chooses where it looks; false: it sees the whole image, in "
          "half as many rows and columns.")
          .by_default(true));
};

// Inputs: N pairs of images (N, 32, 32, 1) with values from 0 to 1, and the digit in each. Only
// the sums are used, 0 to 18. Publishes probabilities of the sums; incorrect_vector; and for each
// pair off_center, how far from the digits it looks, and from_middle, how far these are from the
// middle of the images (which reaches from -1 to 1).
class SpatialTransformer final : public broch::Model {
 public:
  SpatialTransformer(const broch::Host& host, const Options& options)
      : Model(host), transform_(options.transform) {}

  std::vector<broch::Input> inputs() override {
    return {{"left", BROCH_FLOAT32, {-1, kSide, kSide, 1}, {"B", "", "", ""}},
            {"left_label", BROCH_INT64, {-1}, {"B"}},
            {"right", BROCH_FLOAT32, {-1, kSide, kSide, 1}, {"B", "", "", ""}},
            {"right_label", BROCH_INT64, {-1}, {"B"}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor images = ops.permute(ops.cat({inputs[0], inputs[2]}), {0, 3, 1, 2});
    const Tensor digits = ops.view(digit(t, looked_at(t, images)), {2, -1, kDigits});
    const Tensor sums =
        t.publish("probabilities", sum(t, ops.select(digits, 0, 0), ops.select(digits, 0, 1)));
    const Tensor label = inputs[1] + inputs[3];
    const Tensor wrong = ops.to_dtype(ops.ne(ops.argmax(sums, 1), label), BROCH_FLOAT32);
    t.moving_summary("train_error", ops.mean(t.publish("incorrect_vector", wrong)));
    return t.publish("cost", ops.nll_loss(ops.log(sums + Scalar(1e-6)), label));
  }

 private:
  static constexpr int64_t kSide = 32, kLook = 16, kDigits = 10;

  // A part of each image, (N, 1, kLook, kLook): turned, moved and scaled as the network wants it.
  Tensor looked_at(broch::Tower& t, const Tensor& images) const {
    const Tensor affine = t.publish("affine", transform_ ? chosen(t, images) : whole(t, images));
    measure(t, images, affine);
    const Tensor part = sampled(t, images, places(t, affine));
    t.summary("seen", shown(t, images, part), BROCH_SHOW_IMAGE);
    return part;
  }

  // An affine map for each image, (N, 2, 3): from places in the part to places in the image. Both
  // have coordinates from -1 to 1. The first map is the middle of the image.
  static Tensor chosen(broch::Tower& t, const Tensor& images) {
    const auto scope = t.scope("look");
    broch::Conv2dOptions conv;
    conv.channels = 16;
    conv.kernel = 5;
    conv.activation = broch::relu;
    Tensor x = broch::conv2d(t, "conv1", t.ops().avg_pool2d(images, {2}), conv);
    x = broch::conv2d(t, "conv2", broch::max_pool2d(t, "pool", x), conv);
    broch::FullyConnectedOptions layer;
    layer.units = 32;
    layer.activation = broch::relu;
    x = broch::fully_connected(t, "fc", x, layer);
    layer.units = 6;
    layer.activation = nullptr;
    layer.use_bias = false;
    layer.weight = broch::Init::constant(0);
    const Tensor first = t.constant<float>({0.75F, 0, 0, 0, 0.75F, 0}, {6});
    return t.ops().view(broch::fully_connected(t, "map", x, layer) + first, {-1, 2, 3});
  }

  static Tensor whole(broch::Tower& t, const Tensor& images) {
    return t.ops().expand(t.constant<float>({1, 0, 0, 0, 1, 0}, {1, 2, 3}),
                          {t.size(images, 0), 2, 3});
  }

  // Where each pixel of the part lies in the image, (N, kLook, kLook, 2), x before y.
  static Tensor places(broch::Tower& t, const Tensor& affine) {
    std::vector<float> pixels;  // x, y and 1 of each pixel's center
    const auto center = [](int64_t i) { return float(2 * i + 1) / float(kLook) - 1; };
    for (int64_t y = 0; y < kLook; ++y)
      for (int64_t x = 0; x < kLook; ++x) pixels.insert(pixels.end(), {center(x), center(y), 1});
    const Tensor grid = t.constant(pixels, {kLook * kLook, 3});
    return t.ops().view(t.ops().matmul(grid, t.ops().transpose(affine, 1, 2)),
                        {-1, kLook, kLook, 2});
  }

  // Bilinear interpolation; 0 outside.
  static Tensor sampled(broch::Tower& t, const Tensor& images, const Tensor& grid) {
    constexpr int kBilinear = 0, kZeros = 0;
    return t.ops().grid_sampler_2d(images, grid, kBilinear, kZeros, false);
  }

  // Probabilities of the digits, (N, kDigits).
  static Tensor digit(broch::Tower& t, const Tensor& part) {
    const auto scope = t.scope("digit");
    Tensor x = broch::max_pool2d(t, "pool1", block(t, "block1", part, 32));
    x = broch::max_pool2d(t, "pool2", block(t, "block2", x, 64));
    broch::FullyConnectedOptions layer;
    layer.units = 128;
    layer.activation = broch::relu;
    x = broch::fully_connected(t, "fc1", x, layer);
    layer.units = kDigits;
    layer.activation = nullptr;
    return t.ops().softmax(broch::fully_connected(t, "fc2", x, layer), 1);
  }
  static Tensor block(broch::Tower& t, const std::string& name, const Tensor& x, int64_t channels) {
    const auto scope = t.scope(name);
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.use_bias = false;
    broch::BatchNormOptions norm;
    norm.activation = broch::relu;
    return broch::batch_norm(t, "bn", broch::conv2d(t, "conv", x, conv), norm);
  }

  // Probabilities of the sums of two independent digits, (N, 2 kDigits - 1).
  static Tensor sum(broch::Tower& t, const Tensor& left, const Tensor& right) {
    broch::Ops& ops = t.ops();
    constexpr int64_t kSums = 2 * kDigits - 1;
    std::vector<float> adds(kDigits * kDigits * kSums, 0);
    for (int64_t i = 0; i < kDigits; ++i)
      for (int64_t j = 0; j < kDigits; ++j) adds[size_t((i * kDigits + j) * kSums + i + j)] = 1;
    const Tensor both = ops.unsqueeze(left, 2) * ops.unsqueeze(right, 1);
    return ops.matmul(ops.reshape(both, {-1, kDigits * kDigits}),
                      t.constant(adds, {kDigits * kDigits, kSums}));
  }

  static void measure(broch::Tower& t, const Tensor& images, const Tensor& affine) {
    broch::Ops& ops = t.ops();
    const Tensor digit = center_of_mass(t, images);
    const Tensor looked = ops.select(affine, 2, 2);
    const auto published = [&](const char* name, const Tensor& distance) {
      const Tensor far = ops.linalg_vector_norm(distance, 2, {1});
      t.publish(name, ops.mean_dim(ops.view(far, {2, -1}), {0}));
    };
    published("off_center", looked - digit);
    published("from_middle", digit);
  }
  // (N, 2), x before y.
  static Tensor center_of_mass(broch::Tower& t, const Tensor& images) {
    broch::Ops& ops = t.ops();
    std::vector<float> middles;
    for (int64_t i = 0; i < kSide; ++i) middles.push_back(float(2 * i + 1) / float(kSide) - 1);
    const Tensor along = t.constant(middles, {kSide});
    const Tensor light = ops.sum_dim(images, {1, 2, 3});
    const Tensor x = ops.sum_dim(images * along, {1, 2, 3}) / light;
    const Tensor y = ops.sum_dim(images * ops.view(along, {kSide, 1}), {1, 2, 3}) / light;
    return ops.stack({x, y}, 1);
  }

  // The first images, one below the other, and beside them the parts.
  static Tensor shown(broch::Tower& t, const Tensor& images, const Tensor& part) {
    broch::Ops& ops = t.ops();
    const int64_t count = std::min<int64_t>(8, t.size(images, 0));
    const Tensor larger = ops.upsample_nearest2d(ops.narrow(part, 0, 0, count), {kSide, kSide});
    const Tensor both = ops.cat({ops.narrow(images, 0, 0, count), larger}, 3);
    return ops.reshape(both, {1, count * kSide, 2 * kSide, 1}) * Scalar(255);
  }

  bool transform_;
};

}  // namespace

BROCH_MODEL(SpatialTransformer, "examples.spatial-transformer", "1.0.0",
            "Finds two digits and adds them.", Options::schema)
