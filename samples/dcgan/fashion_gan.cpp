// fashion_gan.cpp: a generator and a discriminator of 28x28 images of clothes. Sources: Radford,
// Metz and Chintala, Unsupervised representation learning with deep convolutional generative
// adversarial networks, 2015; Gulrajani, Ahmed, Arjovsky, Dumoulin and Courville, Improved training
// of Wasserstein GANs, 2017.
#include "../fashion-mnist/clothes_features.hpp"
#include "../tensorpack/gradient_penalty.hpp"
#include "../tensorpack/picture_grid.hpp"

namespace {

using broch::Scalar;
using broch::Tensor;

enum class Loss { cross_entropy, wasserstein };

struct Options {
  int64_t width, classifier_width;
  Loss loss;
  double penalty;

  static constexpr auto schema = broch::options(
      broch::option("width", &Options::width, "Half of the channels of the smallest pictures.")
          .minimum(1)
          .by_default(32),
      broch::option("loss", &Options::loss,
                    "cross_entropy: the discriminator tells real from drawn; wasserstein: it "
                    "scores them as far apart as its smoothness permits.")
          .one_of("cross_entropy", "wasserstein")
          .by_default("cross_entropy"),
      broch::option("penalty", &Options::penalty,
                    "For wasserstein: the weight of the mean square of the distance of the "
                    "gradient's norm from 1.")
          .minimum(0)
          .by_default(10),
      broch::option("classifier_width", &Options::classifier_width,
                    "The option width of the classifier whose features are compared.")
          .minimum(1)
          .by_default(32));
};

// Input: N images (N, 1, 28, 28) with values from -1 to 1. Publishes g_loss, d_loss and fake; and
// what a trained classifier sees in real and in drawn images, real_features and drawn_features (N,
// 4 * classifier_width). The variables are in the scopes gen, discrim and classifier.
class FashionGan final : public broch::Model {
 public:
  FashionGan(const broch::Host& host, const Options& options)
      : Model(host), options_(options), autograd_(host, ops()) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, kSide, kSide}, {"B", "", "", ""}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    const Tensor real = inputs[0], noise = t.ops().randn({t.size(real, 0), kNoise});
    const Tensor drawn = t.publish("fake", generated(t, noise));
    const Tensor of_real = judged(t, real, false), of_drawn = judged(t, drawn, true);
    const broch::GanLosses losses = options_.loss == Loss::wasserstein
                                        ? distance(t, real, drawn, of_real, of_drawn)
                                        : broch::gan_losses(t, of_real, of_drawn);
    publish_features(t, real, drawn);
    t.summary("drawn", examples::picture_grid(t, drawn), BROCH_SHOW_IMAGE);
    return t.publish("cost", losses.generator + losses.discriminator);
  }

 private:
  static constexpr int64_t kSide = 28, kNoise = 64;
  // The weights begin as in the first paper.
  static broch::Init small() { return broch::Init::normal(0, 0.02); }

  // noise: (N, kNoise). Returns images (N, 1, 28, 28) with values from -1 to 1.
  Tensor generated(broch::Tower& t, const Tensor& noise) const {
    const auto scope = t.scope("gen");
    broch::Ops& ops = t.ops();
    const int64_t width = options_.width;
    broch::FullyConnectedOptions first;
    first.units = 2 * width * 7 * 7;
    first.use_bias = false;
    first.weight = small();
    Tensor x = ops.view(broch::fully_connected(t, "fc", noise, first), {-1, 2 * width, 7, 7});
    x = ops.relu(broch::batch_norm(t, "bn0", x));
    x = ops.relu(broch::batch_norm(t, "bn1", doubled(t, "up1", x, width)));
    return ops.tanh(doubled(t, "up2", x, 1));
  }
  // Height and width.
  static Tensor doubled(broch::Tower& t, const std::string& name, const Tensor& x,
                        int64_t channels) {
    broch::Conv2dTransposeOptions conv;
    conv.channels = channels;
    conv.kernel = 4;
    conv.use_bias = false;
    conv.weight = small();
    return broch::conv2d_transpose(t, name, x, conv);
  }

  // How real images look, (N, 1): above 0 for real.
  Tensor judged(broch::Tower& t, const Tensor& image, bool again) const {
    const auto scope = again ? t.reuse("discrim") : t.scope("discrim");
    const Tensor x = broch::leaky_relu(halved(t, "conv1", image, options_.width), 0.2);
    Tensor y = halved(t, "conv2", x, 2 * options_.width);
    // The penalty is about each image alone, and batch norm would make it depend on the others.
    if (options_.loss != Loss::wasserstein) y = broch::batch_norm(t, "bn2", y);
    broch::FullyConnectedOptions last;
    last.units = 1;
    last.weight = small();
    return broch::fully_connected(t, "fc", broch::leaky_relu(y, 0.2), last);
  }
  static Tensor halved(broch::Tower& t, const std::string& name, const Tensor& x,
                       int64_t channels) {
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.kernel = 4;
    conv.stride = 2;
    conv.padding = 1;
    conv.weight = small();
    return broch::conv2d(t, name, x, conv);
  }

  broch::GanLosses distance(broch::Tower& t, const Tensor& real, const Tensor& drawn,
                            const Tensor& of_real, const Tensor& of_drawn) const {
    broch::Ops& ops = t.ops();
    const Tensor apart = ops.mean(of_real) - ops.mean(of_drawn);
    t.moving_summary("distance", apart);
    Tensor d_loss = -apart;
    if (t.is_training()) d_loss = d_loss + roughness(t, real, drawn) * Scalar(options_.penalty);
    return {t.publish("g_loss", -ops.mean(of_drawn)), t.publish("d_loss", d_loss)};
  }
  Tensor roughness(broch::Tower& t, const Tensor& real, const Tensor& drawn) const {
    return examples::gradient_penalty(
        t, autograd_, real, drawn, [&](const Tensor& between) { return judged(t, between, true); });
  }

  // A step in training computes nothing of this, since nobody asks for it.
  void publish_features(broch::Tower& t, const Tensor& real, const Tensor& drawn) const {
    // Of the pixels from 0 to 255, as in convnet.json.
    const double mean = 72.9, deviation = 90;
    const auto scope = t.scope("classifier");
    const auto frozen = t.freeze_variables(true);
    broch::Ops& ops = t.ops();
    const Tensor pixels = (ops.cat({real, drawn}) + Scalar(1)) * Scalar(127.5);
    const Tensor all = fashion::clothes_features(t, (pixels - Scalar(mean)) * Scalar(1 / deviation),
                                                 options_.classifier_width, false);
    const int64_t count = t.size(real, 0);
    t.publish("real_features", ops.narrow(all, 0, 0, count));
    t.publish("drawn_features", ops.narrow(all, 0, count, count));
  }

  Options options_;
  broch::Autograd autograd_;
};

}  // namespace

BROCH_MODEL(FashionGan, "fashion.gan", "1.0.0",
            "A generator and a discriminator of 28x28 images of clothes.", Options::schema)
