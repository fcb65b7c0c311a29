// hed.cpp: finds edges in noisy pictures, at several scales together. Source: Xie and Tu,
// Holistically-nested edge detection, 2015.
#include <broch/layers.hpp>

namespace {

using broch::Scalar;
using broch::Tensor;

struct Options {
  int64_t width, stages;

  static constexpr auto schema = broch::options(
      broch::option("width", &Options::width, "Channels at full size; they double in each stage.")
          .minimum(1)
          .by_default(16),
      broch::option("stages", &Options::stages,
                    "Scales at which edges are sought, each half as large as the one before.")
          .minimum(1)
          .maximum(4)
          .by_default(3));
};

// Inputs: N pictures (N, 3, 32, 32), and where their edges are (N, 1, 32, 32), 1 or 0. Publishes
// edge, whether the network sees an edge there, 1 or 0; heat, the probability of it; and heat1,
// heat2 and so on, those of the stages.
class Hed final : public broch::Model {
 public:
  Hed(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"picture", BROCH_FLOAT32, {-1, 3, 32, 32}, {"B", "", "", ""}},
            {"edges", BROCH_FLOAT32, {-1, 1, 32, 32}, {"B", "", "", ""}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const std::vector<Tensor> sides = seen(t, inputs[0]);
    broch::Conv2dOptions fuse;
    fuse.channels = 1;
    fuse.kernel = 1;
    fuse.use_bias = false;
    fuse.weight = broch::Init::constant(1.0 / double(options_.stages));
    const Tensor fused = broch::conv2d(t, "fuse", ops.cat(sides, 1), fuse);
    Tensor cost = entropy(t, fused, inputs[1]);
    for (size_t i = 0; i < sides.size(); ++i) {
      t.publish("heat" + std::to_string(i + 1), ops.sigmoid(sides[i]));
      cost = cost + entropy(t, sides[i], inputs[1]);
    }
    t.publish("heat", ops.sigmoid(fused));
    t.publish("edge", ops.to_dtype(ops.gt(fused, Scalar(0)), BROCH_FLOAT32));
    return t.publish("cost", cost);
  }

 private:
  // The scores of each stage at full size, (N, 1, 32, 32).
  std::vector<Tensor> seen(broch::Tower& t, const Tensor& picture) const {
    std::vector<Tensor> sides;
    Tensor x = picture;
    for (int64_t i = 0; i < options_.stages; ++i) {
      const auto stage = t.scope("stage" + std::to_string(i + 1));
      broch::Conv2dOptions conv;
      conv.channels = options_.width << i;
      conv.activation = broch::relu;
      if (i > 0) x = broch::max_pool2d(t, "pool", x);
      x = broch::conv2d(t, "conv2", broch::conv2d(t, "conv1", x, conv), conv);
      broch::Conv2dOptions score;
      score.channels = 1;
      score.kernel = 1;
      const Tensor side = broch::conv2d(t, "score", x, score);
      sides.push_back(i == 0 ? side : broch::upsample_bilinear(t, "up", side, int64_t{1} << i));
    }
    return sides;
  }

  // Cross entropy in which edges and the rest have the same weight, although edges are few.
  static Tensor entropy(broch::Tower& t, const Tensor& scores, const Tensor& edges) {
    broch::Ops& ops = t.ops();
    const Tensor few = ops.mean(edges);
    const Tensor weight = ops.view((Scalar(1) - few) / ops.clamp_min(few, Scalar(1e-4)), {1});
    return ops.binary_cross_entropy_with_logits(scores, edges, {}, weight) * few;
  }

  Options options_;
};

}  // namespace

BROCH_MODEL(Hed, "examples.hed", "1.0.0", "Finds edges at several scales together.",
            Options::schema)
