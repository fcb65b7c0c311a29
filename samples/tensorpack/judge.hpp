// judge.hpp: a classifier of digits that learns from real images beside a GAN, and says which
// digits the drawn ones show.
#pragma once
#include <broch/layers.hpp>

namespace examples {

// Its variables are in the scope discrim/judge, so that the trainer gan updates them with the
// discriminator; they share nothing with it. Images: (N, 1, 8, 8).
class Judge {
 public:
  Judge(broch::Tower& t, const broch::Tensor& real, const broch::Tensor& drawn) : ops_(t.ops()) {
    const auto outer = t.scope("discrim");
    const auto scope = t.scope("judge");
    const broch::Tensor all = scores(t, ops_.cat({real, ops_.detach(drawn)}));
    const int64_t count = t.size(real, 0);
    of_real = ops_.narrow(all, 0, 0, count);
    of_drawn = ops_.narrow(all, 0, count, count);
  }

  // Of the real images.
  broch::Tensor loss(const broch::Tensor& label) const {
    return ops_.cross_entropy_loss(of_real, label);
  }
  // 1 for each image that it takes for another digit, 0 for the others.
  broch::Tensor wrong(const broch::Tensor& scores, const broch::Tensor& label) const {
    return ops_.to_dtype(ops_.ne(ops_.argmax(scores, 1), label), BROCH_FLOAT32);
  }
  // How many digits it sees, each clearly and equally often: from 1 to 10. Source: Salimans,
  // Goodfellow, Zaremba, Cheung, Radford and Chen, Improved techniques for training GANs, 2016.
  broch::Tensor clear_digits(const broch::Tensor& scores) const {
    const broch::Tensor logs = ops_.log_softmax(scores, 1), each = ops_.exp(logs);
    const broch::Tensor all = ops_.mean_dim(each, {0}, true);
    return ops_.exp(
        ops_.mean(ops_.sum_dim(each * (logs - ops_.log(all + broch::Scalar(1e-9))), {1})));
  }

  broch::Tensor of_real, of_drawn;  // scores (N, 10)

 private:
  static broch::Tensor scores(broch::Tower& t, const broch::Tensor& image) {
    broch::Conv2dOptions conv;
    conv.channels = 16;
    conv.activation = broch::relu;
    broch::Tensor x = broch::max_pool2d(t, "pool1", broch::conv2d(t, "conv1", image, conv));
    conv.channels = 32;
    x = broch::max_pool2d(t, "pool2", broch::conv2d(t, "conv2", x, conv));
    broch::FullyConnectedOptions layer;
    layer.units = 64;
    layer.activation = broch::relu;
    x = broch::fully_connected(t, "fc1", x, layer);
    layer.units = 10;
    layer.activation = nullptr;
    return broch::fully_connected(t, "fc2", x, layer);
  }

  broch::Ops& ops_;
};

}  // namespace examples
