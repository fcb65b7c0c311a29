// linear.hpp: a linear map from all numbers of an image to the scores of the classes.
#pragma once
#include "classifier.hpp"
#include "layers.hpp"

namespace broch::zoo {

struct LinearOptions : ClassifierOptions {
  std::vector<int64_t> shape;

  static constexpr auto schema = broch::options(
      ClassifierOptions::with_classes(10),
      broch::option("shape", &LinearOptions::shape,
                    "Shape of one input, such as [4] for rows of a table with four columns.")
          .minimum(1)
          .min_items(1)
          .max_items(7)
          .by_default(1, 28, 28));
};

class Linear final : public Classifier {
 public:
  Linear(const Host& host, const LinearOptions& options)
      : Classifier(host, options, options.shape), classes_(options.classes) {}

  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 0.1}})"; }

 private:
  Tensor logits(Tower& t, const Tensor& image) override {
    return zoo::linear(t, "fc", t.ops().flatten(image, 1), classes_);
  }

  int64_t classes_;
};

}  // namespace broch::zoo
