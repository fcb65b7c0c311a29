// metrics.hpp: metrics that a manifest names. Each publishes a number, the mean over the data
// point; some also publish a vector with 1 for each wrong sample, for classification-error.
#pragma once
#include <cmath>

#include "objective.hpp"

namespace broch::models {

struct Metric : Judged {
  std::optional<std::string> name;
  // The number. loss: that of the model, which may be undefined.
  virtual Tensor of(const Context& c, const Tensor& loss) const = 0;
  virtual std::string usual_name() const = 0;

  static constexpr auto schema = options(
      Judged::schema, option("name", &Metric::name,
                             "Name of the number that is published; null: see the description."));
};

// wrong: 1 or true for each wrong sample. Publishes it; returns the share of the others.
inline Tensor share_of_right(const Context& c, const Tensor& wrong, const std::string& vector) {
  const Tensor ones = c.ops().to_dtype(c.ops().reshape(wrong, {-1}), BROCH_FLOAT32);
  return Scalar(1) - c.ops().mean(c.t.publish(vector, ones));
}

struct Accuracy final : Metric {
  static constexpr const char* kKind = "accuracy";
  static constexpr const char* kDescription =
      "Share of samples whose largest score is that of their class; if the target has a "
      "probability "
      "for each class, that of the largest one. Publishes accuracy and incorrect_vector.";
  int64_t class_dim = 1;
  std::string vector = "incorrect_vector";
  static constexpr auto schema =
      options(Metric::schema,
              option("class_dim", &Accuracy::class_dim,
                     "The dimension of the classes; -1 for sequences (N, T, C).")
                  .by_default(1),
              option("vector", &Accuracy::vector, "Name of the vector.")
                  .min_length(1)
                  .by_default("incorrect_vector"));
  std::string usual_name() const override { return kKind; }
  Tensor of(const Context& c, const Tensor&) const override {
    const Classes rows = likeliest_classes_of(c, class_dim);
    return share_of_right(c, c.ops().ne(c.ops().argmax(rows.scores, 1), rows.labels), vector);
  }
};

struct TopK final : Metric {
  static constexpr const char* kKind = "top_k";
  static constexpr const char* kDescription =
      "Share of samples whose class is among the k largest scores; its class is found as for "
      "accuracy. With k = 5 it publishes top_5_accuracy and incorrect_vector_top_5.";
  int64_t k = 5, class_dim = 1;
  std::optional<std::string> vector;
  static constexpr auto schema =
      options(Metric::schema, option("k", &TopK::k, "Number of scores.").minimum(1).by_default(5),
              option("class_dim", &TopK::class_dim,
                     "The dimension of the classes; -1 for sequences (N, T, C).")
                  .by_default(1),
              option("vector", &TopK::vector, "Name of the vector; null: as described."));
  std::string usual_name() const override { return "top_" + std::to_string(k) + "_accuracy"; }
  Tensor of(const Context& c, const Tensor&) const override {
    Ops& ops = c.ops();
    const Classes rows = likeliest_classes_of(c, class_dim);
    if (k > c.t.size(rows.scores, 1))
      c.refuse("k is " + std::to_string(k),
               "at most " + std::to_string(c.t.size(rows.scores, 1)) + ", the number of classes");
    const Tensor best = ops.topk(rows.scores, k, 1)[1];
    const Tensor right = ops.any_dim(ops.eq(best, ops.unsqueeze(rows.labels, 1)), 1);
    return share_of_right(c, ops.logical_not(right),
                          vector.value_or("incorrect_vector_top_" + std::to_string(k)));
  }
};

struct BinaryAccuracy final : Metric {
  static constexpr const char* kKind = "binary_accuracy";
  static constexpr const char* kDescription =
      "Share of outputs on the right side of a threshold, for targets 0 and 1. Publishes "
      "binary_accuracy and incorrect_vector.";
  double threshold = 0;
  std::string vector = "incorrect_vector";
  static constexpr auto schema =
      options(Metric::schema,
              option("threshold", &BinaryAccuracy::threshold,
                     "Outputs above it mean 1; 0 for logits, 0.5 for probabilities.")
                  .by_default(0),
              option("vector", &BinaryAccuracy::vector, "Name of the vector.")
                  .min_length(1)
                  .by_default("incorrect_vector"));
  std::string usual_name() const override { return kKind; }
  Tensor of(const Context& c, const Tensor&) const override {
    const auto [output, target] = numbers_of(c);
    const Tensor said = c.ops().gt(output, Scalar(threshold));
    return share_of_right(c, c.ops().ne(said, c.ops().gt(target, Scalar(0.5))), vector);
  }
};

struct MeanAbsoluteError final : Metric {
  static constexpr const char* kKind = "mean_absolute_error";
  static constexpr const char* kDescription =
      "Mean of |output - target|. Publishes mean_absolute_error.";
  static constexpr auto schema = options(Metric::schema);
  std::string usual_name() const override { return kKind; }
  Tensor of(const Context& c, const Tensor&) const override {
    const auto [output, target] = numbers_of(c);
    return c.ops().l1_loss(output, target);
  }
};

struct MeanSquaredError final : Metric {
  static constexpr const char* kKind = "mean_squared_error";
  static constexpr const char* kDescription =
      "Mean of (output - target)^2. Publishes mean_squared_error.";
  static constexpr auto schema = options(Metric::schema);
  std::string usual_name() const override { return kKind; }
  Tensor of(const Context& c, const Tensor&) const override {
    const auto [output, target] = numbers_of(c);
    return c.ops().mse_loss(output, target);
  }
};

struct Psnr final : Metric {
  static constexpr const char* kKind = "psnr";
  static constexpr const char* kDescription =
      "Peak signal-to-noise ratio in decibels, 20 log10(peak) - 10 log10(mean of (output - "
      "target)^2). Publishes psnr.";
  double peak = 1;
  static constexpr auto schema = options(
      Metric::schema,
      option("peak", &Psnr::peak, "The largest value that an element can have, such as 1 or 255.")
          .above(0)
          .by_default(1));
  std::string usual_name() const override { return kKind; }
  Tensor of(const Context& c, const Tensor&) const override {
    const auto [output, target] = numbers_of(c);
    return Scalar(20 * std::log10(peak)) -
           c.ops().log10(c.ops().mse_loss(output, target)) * Scalar(10);
  }
};

struct Perplexity final : Metric {
  static constexpr const char* kKind = "perplexity";
  static constexpr const char* kDescription =
      "exp of the loss of the model, which should be cross_entropy or nll. Takes no input and no "
      "target. Publishes perplexity.";
  static constexpr auto schema = options(Metric::schema);
  bool needs_target() const override { return false; }
  std::string usual_name() const override { return kKind; }
  Tensor of(const Context& c, const Tensor& loss) const override {
    if (!loss) c.refuse("a model without a loss", "a loss such as cross_entropy");
    if (input || target) c.refuse("an input or a target", "neither, but the loss of the model");
    return c.ops().exp(loss);
  }
};

using Metrics = std::tuple<Accuracy, TopK, BinaryAccuracy, MeanAbsoluteError, MeanSquaredError,
                           Psnr, Perplexity>;

// The members of the schema of an option that is a list of metrics, [] by default.
struct MetricsSchema {
  static constexpr void write(glue::TextWriter& w) {
    w.member("type", "array");
    w.key("items");
    w.open('{');
    w.key("anyOf");
    w.open('[');
    AllTagged<Metrics>::write_words(w);
    AllTagged<Metrics>::write(w, "metric");
    w.close(']');
    w.close('}');
    w.key("default");
    w.raw("[]");
  }
};
inline constexpr auto kMetricsSchema = glue::constant_text<MetricsSchema>();

inline std::vector<std::unique_ptr<Metric>> read_metrics(const Config& config,
                                                         const std::string& at) {
  std::vector<std::unique_ptr<Metric>> metrics;
  for (uint64_t i = 0; i < config.size(at); ++i) {
    const std::string pointer = at + "/" + std::to_string(i);
    metrics.push_back(AllTagged<Metrics>::read<Metric>(config, pointer, "metric"));
    metrics.back()->pointer = pointer;
  }
  return metrics;
}

// Publishes all of them, and shows them in training.
inline void publish_metrics(const std::vector<std::unique_ptr<Metric>>& metrics,
                            const Context& context, const Tensor& loss) {
  for (const std::unique_ptr<Metric>& metric : metrics)
    at_option(metric->pointer, [&] {
      const Context c = judged_in(*metric, context);
      const std::string name = metric->name.value_or(metric->usual_name());
      if (name == "cost")
        c.refuse("the name is 'cost', under which what is minimized is published", "another name");
      const Tensor detached = c.ops().detach(metric->of(c, loss));
      c.t.moving_summary(name, c.t.publish(name, detached));
    });
}

}  // namespace broch::models
