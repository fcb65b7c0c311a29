// dcgan.hpp: a generator and a discriminator of images. Source: Radford, Metz and Chintala,
// Unsupervised representation learning with deep convolutional generative adversarial networks,
// 2015. Names and initial values are those of PyTorch's example dcgan, behind the scopes of the
// trainer `gan`: "gen/" and "discrim/".
#pragma once
#include <broch/layers.hpp>
#include <string>

namespace broch::zoo {

struct DcganOptions {
  int64_t image_size, channels, noise, generator_width, discriminator_width;

  static constexpr auto schema = broch::options(
      broch::option("image_size", &DcganOptions::image_size, "Height and width of an image.")
          .schema(R"("enum": [8, 16, 32, 64, 128, 256])")
          .by_default(64),
      broch::option("channels", &DcganOptions::channels, "Channels of an image.")
          .minimum(1)
          .by_default(3),
      broch::option("noise", &DcganOptions::noise, "Random numbers that an image is made of.")
          .minimum(1)
          .by_default(100),
      broch::option("generator_width", &DcganOptions::generator_width,
                    "Channels of the generator at half of the size; they double each time that "
                    "the size is halved.")
          .minimum(1)
          .by_default(64),
      broch::option("discriminator_width", &DcganOptions::discriminator_width,
                    "Channels of the discriminator at half of the size; they double each time that "
                    "the size is halved.")
          .minimum(1)
          .by_default(64));
};

// Input: N images (N, C, H, W) with values from -1 to 1. Publishes g_loss and d_loss, for the
// trainers `gan` and `separate-gan`; noise, (N, noise, 1, 1); and fake, the images made of it.
class Dcgan final : public Model {
 public:
  Dcgan(const Host& host, const DcganOptions& options) : Model(host), options_(options) {
    for (int64_t side = 4; side < options.image_size; side *= 2) ++doublings_;
  }

  std::vector<Input> inputs() override {
    const int64_t side = options_.image_size;
    return {{"image", BROCH_FLOAT32, {-1, options_.channels, side, side}, {"B", "", "", ""}}};
  }

  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    Ops& ops = t.ops();
    const Tensor noise =
        t.publish("noise", ops.randn({t.size(inputs[0], 0), options_.noise, 1, 1}));
    const Tensor fake = t.publish("fake", generated(t, noise));
    Tensor of_real, of_fake;
    {
      const auto scope = t.scope("discrim");
      of_real = judged(t, inputs[0]);
    }
    {
      const auto scope = t.reuse("discrim");
      of_fake = judged(t, fake);
    }
    const Tensor real = ops.ones_like(of_real), made = ops.zeros_like(of_fake);
    const auto loss = [&](const Tensor& judgement, const Tensor& truth) {
      return ops.binary_cross_entropy_with_logits(judgement, truth);
    };
    const Tensor g = t.publish("g_loss", loss(of_fake, real));
    const Tensor d = t.publish("d_loss", loss(of_real, real) + loss(of_fake, made));
    t.moving_summary("g_loss", g);
    t.moving_summary("d_loss", d);
    if (options_.channels == 1 || options_.channels == 3)
      t.summary("fake", shown(ops, fake), BROCH_SHOW_IMAGE);
    return t.publish("cost", g + d);
  }

  std::string optimizer() override {
    return R"({"use": "adam", "with": {"learning_rate": 0.0002, "beta1": 0.5}})";
  }

 private:
  // noise: (N, Z, 1, 1). Returns images with values from -1 to 1.
  Tensor generated(Tower& t, const Tensor& noise) const {
    const auto scope = t.scope("gen");
    const int64_t width = options_.generator_width;
    Tensor x = enlarged(t, "main.0", noise, width << (doublings_ - 1), 1, 0);  // 4x4
    int64_t member = 1;  // of torch.nn.Sequential
    for (int64_t i = doublings_ - 2; i >= 0; --i, member += 3) {
      x = normalized(t, member, x, relu);
      x = enlarged(t, "main." + std::to_string(member + 2), x, width << i, 2, 1);
    }
    x = normalized(t, member, x, relu);
    x = enlarged(t, "main." + std::to_string(member + 2), x, options_.channels, 2, 1);
    return t.ops().tanh(x);
  }

  // How real an image looks, (N): above 0 for real. The example's sigmoid is part of the loss here.
  Tensor judged(Tower& t, const Tensor& image) const {
    const auto leaky = [](const Tensor& x) { return leaky_relu(x, 0.2); };
    const int64_t width = options_.discriminator_width;
    Tensor x = leaky(reduced(t, "main.0", image, width, 2, 1));
    int64_t member = 2;
    for (int64_t i = 1; i < doublings_; ++i, member += 3) {
      x = reduced(t, "main." + std::to_string(member), x, width << i, 2, 1);
      x = normalized(t, member + 1, x, leaky);
    }
    return t.ops().flatten(reduced(t, "main." + std::to_string(member), x, 1, 1, 0));
  }

  // Of a convolution, or of a transposed one, with a kernel of 4 * 4.
  template <class Conv>
  static Conv four_wide(int64_t channels, int64_t stride, int64_t padding) {
    Conv conv;
    conv.channels = channels;
    conv.kernel = 4;
    conv.stride = stride;
    conv.padding = padding;
    conv.use_bias = false;
    conv.weight = Init::normal(0, 0.02);
    conv.names = Names::torch;
    return conv;
  }
  static Tensor enlarged(Tower& t, const std::string& name, const Tensor& x, int64_t channels,
                         int64_t stride, int64_t padding) {
    return broch::conv2d_transpose(t, name, x,
                                   four_wide<Conv2dTransposeOptions>(channels, stride, padding));
  }
  static Tensor reduced(Tower& t, const std::string& name, const Tensor& x, int64_t channels,
                        int64_t stride, int64_t padding) {
    return broch::conv2d(t, name, x, four_wide<Conv2dOptions>(channels, stride, padding));
  }
  static Tensor normalized(Tower& t, int64_t member, const Tensor& x,
                           const Activation& activation) {
    BatchNormOptions norm;
    norm.scale = Init::normal(1, 0.02);
    norm.activation = activation;
    norm.names = Names::torch;
    return batch_norm(t, "main." + std::to_string(member), x, norm);
  }

  // The first image as (1, height, width, channels), 0 to 255.
  static Tensor shown(Ops& ops, const Tensor& images) {
    return (ops.permute(ops.narrow(images, 0, 0, 1), {0, 2, 3, 1}) + Scalar(1)) * Scalar(127.5);
  }

  DcganOptions options_;
  int64_t doublings_ = 0;  // from 4x4 to the size of an image
};

}  // namespace broch::zoo
