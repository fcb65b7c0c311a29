// classifier.hpp: what models that choose one of several classes have in common.
#pragma once
#include <broch/layers.hpp>
#include <string>
#include <vector>

namespace broch::zoo {

// Compares the scores of classes with the right ones. logits: (N, classes, …), label: int64 (N, …).
// Publishes incorrect_vector, 1 for each wrong choice and 0 otherwise; train_error, its mean; and
// cost, the cross entropy, which it returns.
inline Tensor classified(Tower& t, const Tensor& logits, const Tensor& label,
                         double label_smoothing = 0) {
  Ops& ops = t.ops();
  const Tensor wrong = ops.flatten(ops.ne(ops.argmax(logits, 1), label));
  const Tensor incorrect = t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
  t.moving_summary("train_error", t.publish("train_error", ops.mean(incorrect)));
  constexpr int64_t kIgnored = -100;  // a label that does not count
  return t.publish("cost", ops.cross_entropy_loss(logits, label, {}, BROCH_REDUCTION_MEAN, kIgnored,
                                                  label_smoothing));
}

struct ClassifierOptions {
  int64_t classes;
  double label_smoothing;

  static constexpr auto with_classes(int default_classes) {
    return broch::options(
        broch::option("classes", &ClassifierOptions::classes, "Number of classes.")
            .minimum(2)
            .by_default(default_classes),
        broch::option("label_smoothing", &ClassifierOptions::label_smoothing,
                      "Share of the probability that is spread evenly over all classes.")
            .minimum(0)
            .below(1)
            .by_default(0));
  }
};

// A model that gives each class a score. Inputs: N images (N, shape…) and their classes (N).
class Classifier : public Model {
 public:
  // shape: of one image, (C, H, W) as a rule.
  Classifier(const Host& host, const ClassifierOptions& options, std::vector<int64_t> shape)
      : Model(host), label_smoothing_(options.label_smoothing), shape_(std::move(shape)) {}

  std::vector<Input> inputs() override {
    Input image{"image", BROCH_FLOAT32, {-1}, {"B"}};
    for (const int64_t size : shape_) {
      image.shape.push_back(size);
      image.dims.emplace_back();
    }
    return {image, {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    const Tensor scores = t.publish("logits", logits(t, inputs[0]));
    return classified(t, scores, inputs[1], label_smoothing_);
  }

 protected:
  // Returns (N, classes).
  virtual Tensor logits(Tower& t, const Tensor& image) = 0;

 private:
  double label_smoothing_;
  std::vector<int64_t> shape_;
};

}  // namespace broch::zoo
