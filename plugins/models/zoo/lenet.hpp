// lenet.hpp: a small convolutional network for digits. Source: LeCun, Bottou, Bengio and Haffner,
// Gradient-based learning applied to document recognition, 1998, with relu and maxima as in
// PyTorch's tutorial "Neural networks", whose names it has.
#pragma once
#include "classifier.hpp"
#include "layers.hpp"

namespace broch::zoo {

struct LenetOptions : ClassifierOptions {
  int64_t channels, image_size;

  static constexpr auto schema = broch::options(
      ClassifierOptions::with_classes(10),
      broch::option("channels", &LenetOptions::channels, "Channels of an image.")
          .minimum(1)
          .by_default(1),
      broch::option("image_size", &LenetOptions::image_size,
                    "Height and width of an image: 32, or 28, which gets a border of two zeros.")
          .schema(R"("enum": [28, 32])")
          .by_default(28));
};

class Lenet final : public Classifier {
 public:
  Lenet(const Host& host, const LenetOptions& options)
      : Classifier(host, options, {options.channels, options.image_size, options.image_size}),
        classes_(options.classes),
        border_(options.image_size == 28 ? 2 : 0) {}

  std::string optimizer() override {
    return R"({"use": "momentum", "with": {"learning_rate": 0.01, "momentum": 0.9}})";
  }

 private:
  Tensor logits(Tower& t, const Tensor& image) override {
    Tensor x = max_pool2d(t, "pool1", relu(zoo::conv2d(t, "conv1", image, 6, 5, border_)));
    x = max_pool2d(t, "pool2", relu(zoo::conv2d(t, "conv2", x, 16, 5)));
    x = relu(zoo::linear(t, "fc1", t.ops().flatten(x, 1), 120));
    x = relu(zoo::linear(t, "fc2", x, 84));
    return zoo::linear(t, "fc3", x, classes_);
  }

  int64_t classes_, border_;
};

}  // namespace broch::zoo
