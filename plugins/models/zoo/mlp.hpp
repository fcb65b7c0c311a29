// mlp.hpp: linear maps with a function that is not linear between them. Names and order are those
// of torchvision.ops.MLP.
#pragma once
#include "linear.hpp"

namespace broch::zoo {

struct MlpOptions : LinearOptions {
  std::vector<int64_t> hidden;
  double dropout;

  static constexpr auto schema = broch::options(
      LinearOptions::schema,
      broch::option("hidden", &MlpOptions::hidden, "Units of each hidden layer.")
          .minimum(1)
          .by_default(256, 256),
      broch::option("dropout", &MlpOptions::dropout,
                    "Share of the units of each hidden layer that is dropped in training.")
          .minimum(0)
          .below(1)
          .by_default(0));
};

class Mlp final : public Classifier {
 public:
  Mlp(const Host& host, const MlpOptions& options)
      : Classifier(host, options, options.shape), options_(options) {}

  std::string optimizer() override {
    return R"({"use": "adam", "with": {"learning_rate": 0.001}})";
  }

 private:
  Tensor logits(Tower& t, const Tensor& image) override {
    Tensor x = t.ops().flatten(image, 1);
    // A layer has three members in torch.nn.Sequential: linear map, relu, dropout.
    int64_t member = 0;
    for (const int64_t units : options_.hidden) {
      x = relu(zoo::linear(t, std::to_string(member), x, units));
      x = dropout(t, std::to_string(member + 2), x, options_.dropout);
      member += 3;
    }
    return zoo::linear(t, std::to_string(member), x, options_.classes);
  }

  MlpOptions options_;
};

}  // namespace broch::zoo
