// saliency.cpp: a classifier that shows which pixels its answer comes from, in two ways. Sources:
// Springenberg, Dosovitskiy, Brox and Riedmiller, Striving for simplicity: the all convolutional
// net, 2014 (guided backpropagation); Zhou, Khosla, Lapedriza, Oliva and Torralba, Learning deep
// features for discriminative localization, 2015 (class activation maps).
#include <broch/layers.hpp>

namespace {

using broch::Scalar;
using broch::Tensor;

struct Options {
  int64_t width;
  bool guided;

  static constexpr auto schema = broch::options(
      broch::option("width", &Options::width, "Channels at full size.").minimum(1).by_default(16),
      broch::option("guided", &Options::guided,
                    "In inference, let only positive gradients pass; false: all of them.")
          .by_default(true));
};

// The positive part, whose backward keeps only positive gradients.
class GuidedRelu final : public broch::CustomFunction {
 public:
  static constexpr const char* kName = "guided-relu";
  static constexpr uint32_t kOutputs = 1;
  std::vector<Tensor> forward(const broch::Saved& saved, const std::vector<Tensor>& x) override {
    saved.save(x);
    return {x[0].ops().relu(x[0])};
  }
  std::vector<Tensor> backward(const broch::Saved& saved, const std::vector<Tensor>& dy) override {
    broch::Ops& ops = dy[0].ops();
    return {ops.relu(dy[0]) * ops.to_dtype(ops.gt(saved[0], Scalar(0)), BROCH_FLOAT32)};
  }
};

// Inputs: N pictures (N, 3, 32, 32), where their shapes are (N, 1, 32, 32), and the kinds of the
// shapes (N), which alone are learned from. Publishes in inference saliency, (N, 3, 32, 32), the
// gradient of the greatest score; cam, (N, 1, 32, 32), the class activation map of its class; and
// for each picture saliency_missed and cam_missed, 1 where the greatest number lies outside of the
// shape, and saliency_inside, the share of the sum of |saliency| that lies inside.
class Saliency final : public broch::Model {
 public:
  Saliency(const broch::Host& host, const Options& options)
      : Model(host), options_(options), autograd_(host, ops()) {}

  std::vector<broch::Input> inputs() override {
    return {{"picture", BROCH_FLOAT32, {-1, 3, kSide, kSide}, {"B", "", "", ""}},
            {"mask", BROCH_FLOAT32, {-1, 1, kSide, kSide}, {"B", "", "", ""}},
            {"kind", BROCH_INT64, {-1}, {"B"}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor picture = t.is_training() ? inputs[0] : autograd_.track(inputs[0]);
    const Tensor maps = features(t, picture);
    broch::FullyConnectedOptions last;
    last.units = kKinds;
    const Tensor scores =
        t.publish("logits", broch::fully_connected(t, "fc", ops.mean_dim(maps, {2, 3}), last));
    const Tensor wrong = ops.ne(ops.argmax(scores, 1), inputs[2]);
    t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
    if (!t.is_training()) {
      explain_by_gradient(t, scores, picture, inputs[1]);
      explain_by_map(t, scores, maps, inputs[1]);
    }
    return t.publish("cost", ops.cross_entropy_loss(scores, inputs[2]));
  }

 private:
  static constexpr int64_t kSide = 32, kKinds = 3;

  // (N, 4 width, 8, 8)
  Tensor features(broch::Tower& t, const Tensor& picture) const {
    const bool guided = options_.guided && !t.is_training();
    const broch::Activation relu = [&](const Tensor& x) {
      return guided ? autograd_.apply(GuidedRelu(), {x})[0] : broch::relu(x);
    };
    broch::Conv2dOptions conv;
    conv.activation = relu;
    conv.channels = options_.width;
    Tensor x = broch::max_pool2d(t, "pool1", broch::conv2d(t, "conv1", picture, conv));
    conv.channels = 2 * options_.width;
    x = broch::max_pool2d(t, "pool2", broch::conv2d(t, "conv2", x, conv));
    conv.channels = 4 * options_.width;
    return broch::conv2d(t, "conv4", broch::conv2d(t, "conv3", x, conv), conv);
  }

  void explain_by_gradient(broch::Tower& t, const Tensor& scores, const Tensor& picture,
                           const Tensor& mask) const {
    broch::Ops& ops = t.ops();
    const Tensor greatest = ops.sum(ops.amax(scores, {1}));
    const Tensor gradient = t.publish("saliency", autograd_.grad({greatest}, {picture})[0]);
    const Tensor strength = ops.amax(ops.abs(gradient), {1}, true);
    t.publish("saliency_missed", missed(ops, strength, mask));
    t.publish("saliency_inside", ops.sum_dim(strength * mask, {1, 2, 3}) /
                                     (ops.sum_dim(strength, {1, 2, 3}) + Scalar(1e-12)));
  }

  // The maps, weighted as the last layer weights their means for the class of the greatest score.
  static void explain_by_map(broch::Tower& t, const Tensor& scores, const Tensor& maps,
                             const Tensor& mask) {
    broch::Ops& ops = t.ops();
    const auto again = t.reuse("fc");
    const Tensor weights = t.variable("W", {kKinds, t.size(maps, 1)}, {}).value;
    const Tensor of_class = ops.index_select(weights, 0, ops.argmax(scores, 1));
    const Tensor map = ops.sum_dim(maps * ops.unsqueeze(ops.unsqueeze(of_class, 2), 3), {1}, true);
    const Tensor cam = t.publish("cam", ops.upsample_bilinear2d(map, {kSide, kSide}, false));
    t.publish("cam_missed", missed(ops, cam, mask));
  }

  static Tensor missed(broch::Ops& ops, const Tensor& heat, const Tensor& mask) {
    const Tensor at = ops.unsqueeze(ops.argmax(ops.flatten(heat, 1), 1), 1);
    return Scalar(1) - ops.squeeze(ops.gather(ops.flatten(mask, 1), 1, at), 1);
  }

  Options options_;
  broch::Autograd autograd_;
};

}  // namespace

BROCH_MODEL(Saliency, "examples.saliency", "1.0.0",
            "A classifier that shows which pixels its answer comes from.", Options::schema)
