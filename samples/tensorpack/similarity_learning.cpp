// similarity_learning.cpp: few numbers for each digit, such that those of one class are near each
// other. Sources: Hadsell, Chopra and LeCun, Dimensionality reduction by learning an invariant
// mapping, 2006; Schroff, Kalenichenko and Philbin, FaceNet, 2015; Hoffer and Ailon, Deep metric
// learning using triplet network, 2015; Wen, Zhang, Li and Qiao, A discriminative feature learning
// approach for deep face recognition, 2016.
#include <broch/layers.hpp>

namespace {

using broch::Scalar;
using broch::Tensor;

enum class Loss { siamese, cosine, triplet, softtriplet, center };

struct Options {
  Loss loss;
  int64_t dims;
  double margin;

  static constexpr auto schema = broch::options(
      broch::option("loss", &Options::loss,
                    "siamese: pairs, by distance; cosine: pairs, by angle; triplet, softtriplet: a "
                    "sample with one of its class and one of another; center: a classifier, and "
                    "the distance from the mean of the class.")
          .one_of("siamese", "cosine", "triplet", "softtriplet", "center")
          .by_default("siamese"),
      broch::option("dims", &Options::dims, "Numbers for each digit.").minimum(1).by_default(2),
      broch::option("margin", &Options::margin,
                    "siamese, triplet: how far apart different classes have to be.")
          .above(0)
          .by_default(5));
};

// Inputs: N images (N, 1, 8, 8) and their classes (N). Publishes embedding, (N, dims), and
// incorrect_vector: whether the nearest other sample of the batch is of another class. All pairs
// and triplets of a batch are used.
class SimilarityLearning final : public broch::Model {
 public:
  SimilarityLearning(const broch::Host& host, const Options& options)
      : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, 8, 8}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor x = t.publish("embedding", embedded(t, inputs[0])), label = inputs[1];
    const Tensor itself = ops.eye(t.size(x, 0)) * Scalar(1e9);
    const Tensor nearest = ops.argmin(squares(ops, x) + itself, 1);
    const Tensor wrong = ops.ne(ops.index_select(label, 0, nearest), label);
    t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
    return t.publish("cost", loss(t, x, label));
  }

 private:
  static constexpr int64_t kClasses = 10;

  Tensor embedded(broch::Tower& t, const Tensor& image) const {
    broch::Conv2dOptions conv;
    conv.channels = 32;
    conv.activation = broch::relu;
    Tensor x = broch::max_pool2d(t, "pool1", broch::conv2d(t, "conv1", image, conv));
    conv.channels = 64;
    x = broch::max_pool2d(t, "pool2", broch::conv2d(t, "conv2", x, conv));
    broch::FullyConnectedOptions hidden;
    hidden.units = 128;
    hidden.activation = broch::relu;
    x = broch::fully_connected(t, "fc1", x, hidden);
    broch::FullyConnectedOptions last;
    last.units = options_.dims;
    x = broch::fully_connected(t, "fc2", x, last);
    if (options_.loss != Loss::cosine) return x;
    return x / t.ops().sqrt(t.ops().sum_dim(x * x, {1}, true) + Scalar(1e-12));
  }

  // The squared distance of each two samples, (N, N).
  static Tensor squares(broch::Ops& ops, const Tensor& x) {
    const Tensor difference = ops.unsqueeze(x, 1) - ops.unsqueeze(x, 0);
    return ops.sum_dim(difference * difference, {2});
  }
  static Tensor roots(broch::Ops& ops, const Tensor& squares) {
    return ops.sqrt(squares + Scalar(1e-10));
  }
  // 1 where two samples are of one class, and 0 elsewhere; which are not the same sample.
  struct Pairs {
    Tensor same, different;
    Pairs(broch::Ops& ops, const Tensor& label) {
      const Tensor equal =
          ops.to_dtype(ops.eq(ops.unsqueeze(label, 1), ops.unsqueeze(label, 0)), BROCH_FLOAT32);
      different = Scalar(1) - equal;
      same = equal - ops.diag_embed(ops.ones_like(ops.diagonal(equal)));
    }
  };
  static Tensor mean(broch::Ops& ops, const Tensor& x, const Tensor& weights) {
    return ops.sum(x * weights) / ops.clamp_min(ops.sum(weights), Scalar(1));
  }

  Tensor loss(broch::Tower& t, const Tensor& x, const Tensor& label) const {
    broch::Ops& ops = t.ops();
    switch (options_.loss) {
      case Loss::siamese:
        return siamese(ops, x, label);
      case Loss::cosine:
        return cosine(ops, x, label);
      case Loss::center:
        return center(t, x, label);
      default:
        return triplets(t, x, label);
    }
  }

  Tensor siamese(broch::Ops& ops, const Tensor& x, const Tensor& label) const {
    const Pairs pairs(ops, label);
    const Tensor near = squares(ops, x);
    const Tensor far = ops.square(ops.relu(Scalar(options_.margin) - roots(ops, near)));
    return (mean(ops, near, pairs.same) + mean(ops, far, pairs.different)) * Scalar(0.5);
  }

  // The cosine shall be 1 within a class, and not above 0 between two.
  static Tensor cosine(broch::Ops& ops, const Tensor& x, const Tensor& label) {
    const Pairs pairs(ops, label);
    const Tensor cosines = ops.matmul(x, ops.t(x));
    return mean(ops, ops.square(Scalar(1) - cosines), pairs.same) +
           mean(ops, ops.square(ops.relu(cosines)), pairs.different);
  }

  // All triplets of at most kTriplets samples.
  Tensor triplets(broch::Tower& t, const Tensor& all, const Tensor& labels) const {
    broch::Ops& ops = t.ops();
    const int64_t n = std::min(kTriplets, t.size(all, 0));
    const Tensor x = ops.narrow(all, 0, 0, n);
    const Pairs pairs(ops, ops.narrow(labels, 0, 0, n));
    const Tensor counted = ops.unsqueeze(pairs.same, 2) * ops.unsqueeze(pairs.different, 1);
    const Tensor near = squares(ops, x);
    if (options_.loss == Loss::triplet) {
      const Tensor excess = ops.unsqueeze(near, 2) - ops.unsqueeze(near, 1);
      return mean(ops, ops.relu(excess + Scalar(options_.margin)), counted);
    }
    const Tensor distance = roots(ops, near);
    const Tensor share = ops.sigmoid(ops.unsqueeze(distance, 2) - ops.unsqueeze(distance, 1));
    return mean(ops, share * share, counted) * Scalar(2);
  }

  // Cross entropy, and the distance from a center for each class, which follows its samples.
  Tensor center(broch::Tower& t, const Tensor& x, const Tensor& label) const {
    broch::Ops& ops = t.ops();
    const broch::Variable centers = t.variable("centers", {kClasses, options_.dims},
                                               broch::Init::constant(0), BROCH_VARIABLE_MODEL);
    const Tensor away = x - ops.index_select(centers.value, 0, label);
    if (t.is_training()) {
      const Tensor sums = ops.index_add(ops.zeros_like(centers.value), 0, label, ops.detach(away));
      const Tensor counts = ops.index_add(ops.ones_like(ops.narrow(centers.value, 1, 0, 1)), 0,
                                          label, ops.ones_like(ops.narrow(away, 1, 0, 1)));
      t.update(centers.handle, centers.value + sums / counts * Scalar(0.5));
    }
    broch::FullyConnectedOptions last;
    last.units = kClasses;
    const Tensor logits = broch::fully_connected(t, "classes", x, last);
    return ops.cross_entropy_loss(logits, label) +
           ops.mean(ops.sum_dim(away * away, {1})) * Scalar(0.05);
  }

  static constexpr int64_t kTriplets = 64;
  Options options_;
};

}  // namespace

BROCH_MODEL(SimilarityLearning, "examples.similarity-learning", "1.0.0",
            "Few numbers for each digit, near for one class.", Options::schema)
