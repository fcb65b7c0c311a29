// losses.hpp: losses that a manifest names. All are means over the elements, or over the samples.
#pragma once
#include "objective.hpp"

namespace broch::models {

// What a target looks like: numbers with the shape and dtype of the output; or classes as int64,
// with the shape of the output without class_dim.
struct TargetForm {
  bool is_class = false;
  int64_t class_dim = 1;
};

struct Loss : Judged {
  virtual Tensor of(const Context& c) const = 0;
  // nullopt: it does not follow from the output.
  virtual std::optional<TargetForm> target_form() const { return std::nullopt; }
};

struct CrossEntropy final : Loss {
  static constexpr const char* kKind = "cross_entropy";
  static constexpr const char* kDescription =
      "-log softmax(output)[target]: scores of classes (N, C, ...), and the class of each as int64 "
      "(N, ...); or a probability for each class, of the shape and kind of the scores.";
  double label_smoothing = 0;
  std::vector<double> class_weights;
  static constexpr int64_t kIgnoreNone = -100;
  int64_t class_dim = 1, ignore_index = kIgnoreNone;
  static constexpr auto schema = options(
      Judged::schema,
      option("label_smoothing", &CrossEntropy::label_smoothing,
             "Share of the probability that all classes get alike.")
          .minimum(0)
          .maximum(1)
          .by_default(0),
      option("class_weights", &CrossEntropy::class_weights,
             "A factor for each class. If the target is classes, the mean is divided by the sum of "
             "theirs. []: 1 for all.")
          .minimum(0)
          .by_default(),
      option("class_dim", &CrossEntropy::class_dim,
             "The dimension of the classes; -1 for sequences (N, T, C).")
          .by_default(1),
      option("ignore_index", &CrossEntropy::ignore_index,
             "Samples of this class do not count. Only if the target is classes.")
          .by_default(kIgnoreNone));
  std::optional<TargetForm> target_form() const override { return TargetForm{true, class_dim}; }
  Tensor of(const Context& c) const override {
    if (is_distribution(c)) return of_distribution(c);
    const Classes rows = classes_of(c, class_dim, or_distribution(c));
    const Tensor weight = weights(c, rows.scores);
    if (weight && label_smoothing > 0) return of_weighted_and_smoothed(c, rows, weight);
    return c.ops().cross_entropy_loss(rows.scores, rows.labels, weight, BROCH_REDUCTION_MEAN,
                                      ignore_index, label_smoothing);
  }

 private:
  Tensor of_distribution(const Context& c) const {
    if (ignore_index != kIgnoreNone)
      c.refuse("ignore_index is " + std::to_string(ignore_index) + " and " +
                   c.is("the target", c.target) + ", a probability for each class",
               "no ignore_index, or classes as the target");
    const size_t dim = dim_of_classes(c, class_dim);
    const Tensor scores = as_rows(c, c.output, dim);
    return c.ops().cross_entropy_loss(scores, as_rows(c, c.target, dim), weights(c, scores),
                                      BROCH_REDUCTION_MEAN, kIgnoreNone, label_smoothing);
  }
  // What torch's operator gives, which selects the weights of the samples that count: how many
  // these are depends on values, so a step with it cannot be recorded.
  Tensor of_weighted_and_smoothed(const Context& c, const Classes& rows,
                                  const Tensor& weight) const {
    Ops& ops = c.ops();
    const Tensor logs = ops.log_softmax(rows.scores, 1);
    const Tensor of_class =
        ops.nll_loss(logs, rows.labels, weight, BROCH_REDUCTION_MEAN, ignore_index);
    const Tensor ignored = ops.eq(rows.labels, Scalar(ignore_index));
    const auto counted = [&](const Tensor& x) { return ops.masked_fill(x, ignored, Scalar(0)); };
    const Tensor total = ops.sum(counted(ops.gather(weight, 0, counted(rows.labels))));
    const Tensor of_all = -ops.sum(counted(ops.sum_dim(logs * weight, {1}))) / total;
    const double each = label_smoothing / double(class_weights.size());
    return of_class * Scalar(1 - label_smoothing) + of_all * Scalar(each);
  }
  Tensor weights(const Context& c, const Tensor& scores) const {
    if (class_weights.empty()) return {};
    const int64_t classes = c.t.size(scores, 1);
    if (int64_t(class_weights.size()) != classes)
      c.refuse(std::to_string(class_weights.size()) + " class_weights",
               std::to_string(classes) + ", as the output has classes");
    const std::vector<float> list(class_weights.begin(), class_weights.end());
    return c.t.constant(list, {classes});
  }
};

struct Nll final : Loss {
  static constexpr const char* kKind = "nll";
  static constexpr const char* kDescription =
      "-output[target]: logarithms of probabilities (N, C, ...), as log_softmax gives them, and "
      "the "
      "class of each as int64 (N, ...).";
  int64_t class_dim = 1;
  static constexpr auto schema =
      options(Judged::schema, option("class_dim", &Nll::class_dim,
                                     "The dimension of the classes; -1 for sequences (N, T, C).")
                                  .by_default(1));
  std::optional<TargetForm> target_form() const override { return TargetForm{true, class_dim}; }
  Tensor of(const Context& c) const override {
    const Classes rows = classes_of(c, class_dim);
    return c.ops().nll_loss(rows.scores, rows.labels);
  }
};

struct Mse final : Loss {
  static constexpr const char* kKind = "mse";
  static constexpr const char* kDescription = "(output - target)^2.";
  static constexpr auto schema = options(Judged::schema);
  std::optional<TargetForm> target_form() const override { return TargetForm{}; }
  Tensor of(const Context& c) const override {
    const auto [output, target] = numbers_of(c);
    return c.ops().mse_loss(output, target);
  }
};

struct L1 final : Loss {
  static constexpr const char* kKind = "l1";
  static constexpr const char* kDescription = "|output - target|.";
  static constexpr auto schema = options(Judged::schema);
  std::optional<TargetForm> target_form() const override { return TargetForm{}; }
  Tensor of(const Context& c) const override {
    const auto [output, target] = numbers_of(c);
    return c.ops().l1_loss(output, target);
  }
};

struct Huber final : Loss {
  static constexpr const char* kKind = "huber";
  static constexpr const char* kDescription =
      "d^2 / 2 for a difference d of at most delta, and delta * (|d| - delta / 2) beyond.";
  double delta = 1;
  static constexpr auto schema =
      options(Judged::schema,
              option("delta", &Huber::delta, "Where the square ends.").above(0).by_default(1));
  std::optional<TargetForm> target_form() const override { return TargetForm{}; }
  Tensor of(const Context& c) const override {
    const auto [output, target] = numbers_of(c);
    return c.ops().huber_loss(output, target, BROCH_REDUCTION_MEAN, delta);
  }
};

struct Bce final : Loss {
  static constexpr const char* kKind = "bce";
  static constexpr const char* kDescription =
      "Binary cross entropy: -t log(p) - (1 - t) log(1 - p) for targets t from 0 to 1.";
  bool logits = true;
  double positive_weight = 1;
  static constexpr auto schema = options(
      Judged::schema,
      option("logits", &Bce::logits,
             "true: p is the sigmoid of the output; false: the output is p itself.")
          .by_default(true),
      option("positive_weight", &Bce::positive_weight, "Factor of t log(p). Only with logits.")
          .above(0)
          .by_default(1));
  std::optional<TargetForm> target_form() const override { return TargetForm{}; }
  Tensor of(const Context& c) const override {
    const auto [output, target] = numbers_of(c);
    if (!logits && positive_weight != 1) c.refuse("positive_weight without logits", "logits");
    if (!logits) return c.ops().binary_cross_entropy(output, target);
    Tensor weight;
    if (positive_weight != 1) weight = c.ops().full({1}, positive_weight, c.t.dtype(output));
    return c.ops().binary_cross_entropy_with_logits(output, target, {}, weight);
  }
};

struct Focal final : Loss {
  static constexpr const char* kKind = "focal";
  static constexpr const char* kDescription =
      "-(1 - p)^gamma log(p) for the probability p of the right answer (Lin et al. 2017). A target "
      "of int64 names the class of each sample, (N, C, ...) and (N, ...); any other one has 0 or 1 "
      "for each output, and p is a sigmoid.";
  double gamma = 2;
  std::optional<double> alpha;
  int64_t class_dim = 1;
  static constexpr auto schema = options(
      Judged::schema,
      option("gamma", &Focal::gamma, "How much less easy samples count.").minimum(0).by_default(2),
      option("alpha", &Focal::alpha,
             "With 0 and 1 as targets: the factor of 1; that of 0 is 1 - alpha. null: no factors.")
          .minimum(0)
          .maximum(1),
      option("class_dim", &Focal::class_dim, "The dimension of the classes.").by_default(1));
  std::optional<TargetForm> target_form() const override { return TargetForm{true, class_dim}; }
  Tensor of(const Context& c) const override {
    Ops& ops = c.ops();
    const broch_dtype dtype = c.t.dtype(c.target);
    if (dtype == BROCH_INT64 || dtype == BROCH_INT32) {
      const Classes rows = classes_of(c, class_dim);
      const Tensor logs = ops.log_softmax(rows.scores, 1);
      const Tensor log_p = ops.squeeze(ops.gather(logs, 1, ops.unsqueeze(rows.labels, 1)), 1);
      if (alpha) c.refuse("alpha with classes as the target", "0 and 1 as the target, or no alpha");
      return -ops.mean(factor(ops, log_p) * log_p);
    }
    const auto [output, target] = numbers_of(c);
    const Tensor entropy =
        ops.binary_cross_entropy_with_logits(output, target, {}, {}, BROCH_REDUCTION_NONE);
    Tensor loss = factor(ops, -entropy) * entropy;
    if (alpha) loss = loss * (target * Scalar(2 * *alpha - 1) + Scalar(1 - *alpha));
    return ops.mean(loss);
  }

 private:
  // (1 - p)^gamma. With gamma below 1 its gradient at 0 would be infinite, and NaN times log(p).
  Tensor factor(Ops& ops, const Tensor& log_p) const {
    const Tensor rest = Scalar(1) - ops.exp(log_p);
    return ops.pow(gamma < 1 ? ops.clamp_min(rest, Scalar(1e-12)) : rest, gamma);
  }
};

struct Ctc final : Loss {
  static constexpr const char* kKind = "ctc";
  static constexpr const char* kDescription =
      "Connectionist temporal classification (Graves et al. 2006): scores (N, T, C) of unaligned "
      "sequences, and their symbols as int64 (N, S). The loss of each sequence is divided by its "
      "number of symbols.";
  int64_t blank = 0;
  std::optional<std::string> output_lengths;
  std::string target_lengths;
  bool zero_infinity = false;
  static constexpr auto schema = options(
      Judged::schema,
      option("target_lengths", &Ctc::target_lengths,
             "Name of the tensor with the number of symbols of each sequence, int64 (N)."),
      option("output_lengths", &Ctc::output_lengths,
             "Name of the tensor with the number of steps of each sequence, int64 (N); null: T."),
      option("blank", &Ctc::blank, "The class between symbols.").minimum(0).by_default(0),
      option("zero_infinity", &Ctc::zero_infinity,
             "Whether a sequence with more symbols than steps counts 0 instead of infinity.")
          .by_default(false));
  Tensor of(const Context& c) const override {
    Ops& ops = c.ops();
    const std::vector<int64_t> shape = c.t.shape(c.output);
    if (shape.size() != 3) c.refuse(c.is("the output", c.output), "(N, T, C)");
    const Tensor logs = ops.transpose(ops.log_softmax(c.output, -1), 0, 1);
    const Tensor steps =
        output_lengths ? c.find(*output_lengths) : ops.full({shape[0]}, shape[1], BROCH_INT64);
    const Operator ctc(ops, c.t.host(),
                       "aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor "
                       "input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool "
                       "zero_infinity=False) -> Tensor");
    return ctc({broch_of(logs.handle()), broch_of(c.target.handle()), broch_of(steps.handle()),
                broch_of(c.find(target_lengths).handle()), broch_int(blank),
                broch_int(BROCH_REDUCTION_MEAN), broch_bool(zero_infinity)});
  }
};

struct Contrastive final : Loss {
  static constexpr const char* kKind = "contrastive";
  static constexpr const char* kDescription =
      "d^2 for pairs with target 1, max(0, margin - d)^2 for those with 0, where d is the distance "
      "of two vectors (N, D) (Hadsell et al. 2006).";
  std::string other;
  double margin = 1;
  static constexpr auto schema = options(
      Judged::schema, option("other", &Contrastive::other, "Name of the other vectors, (N, D)."),
      option("margin", &Contrastive::margin, "Distance from which a pair counts as far apart.")
          .above(0)
          .by_default(1));
  Tensor of(const Context& c) const override {
    Ops& ops = c.ops();
    const Tensor b = c.find(other);
    if (c.t.shape(b) != c.t.shape(c.output) || c.t.shape(b).size() != 2)
      c.refuse(c.is("the output", c.output) + " and " + c.is(other.c_str(), b),
               "one shape (N, D) in both");
    const std::vector<int64_t> pairs = {c.t.size(b, 0)};
    if (c.t.shape(c.target) != pairs)
      c.refuse(c.is("the target", c.target), shape_text(pairs) + ", 0 or 1 for each pair");
    const Tensor distance = ops.pairwise_distance(c.output, b);
    const Tensor same = ops.to_dtype(c.target, c.t.dtype(c.output));
    const Tensor near = ops.square(distance);
    const Tensor far = ops.square(ops.relu(Scalar(margin) - distance));
    return ops.mean(same * near + (Scalar(1) - same) * far);
  }
};

struct Triplet final : Loss {
  static constexpr const char* kKind = "triplet";
  static constexpr const char* kDescription =
      "max(0, d(output, positive) - d(output, negative) + margin) for vectors (N, D) (Schroff et "
      "al. 2015). Takes no target.";
  std::string positive, negative;
  double margin = 1;
  bool squared = false;
  static constexpr auto schema = options(
      Judged::schema,
      option("positive", &Triplet::positive, "Name of the vectors that belong to those of output."),
      option("negative", &Triplet::negative, "Name of vectors that do not."),
      option("margin", &Triplet::margin, "How much farther these must be.").above(0).by_default(1),
      option("squared", &Triplet::squared, "Whether d is the square of the distance.")
          .by_default(false));
  bool needs_target() const override { return false; }
  Tensor of(const Context& c) const override {
    if (target) c.refuse("a target", "none, but positive and negative");
    Ops& ops = c.ops();
    const auto distance = [&](const std::string& name) {
      const Tensor b = c.find(name);
      if (c.t.shape(b) != c.t.shape(c.output) || c.t.shape(b).size() != 2)
        c.refuse(c.is("the output", c.output) + " and " + c.is(name.c_str(), b),
                 "one shape (N, D) in both");
      const Tensor d = ops.pairwise_distance(c.output, b);
      return squared ? ops.square(d) : d;
    };
    return ops.mean(ops.relu(distance(positive) - distance(negative) + Scalar(margin)));
  }
};

using Losses = std::tuple<CrossEntropy, Nll, Mse, L1, Huber, Bce, Focal, Ctc, Contrastive, Triplet>;

// The members of the schema of an option that is a loss.
struct LossSchema {
  static constexpr void write(glue::TextWriter& w) {
    w.key("anyOf");
    w.open('[');
    AllTagged<Losses>::write_words(w);
    AllTagged<Losses>::write(w, "loss");
    w.next();
    w.raw(R"({"type": "null"})");
    w.close(']');
  }
};
inline constexpr auto kLossSchema = glue::constant_text<LossSchema>();

// The loss at this place of the options; nullptr: none.
inline std::unique_ptr<Loss> read_loss(const Config& config, const std::string& at) {
  if (!config.has(at)) return nullptr;
  auto loss = AllTagged<Losses>::read<Loss>(config, at, "loss");
  loss->pointer = at;
  return loss;
}
inline Tensor value_of(const Loss& loss, const Context& context) {
  return at_option(loss.pointer, [&] { return loss.of(judged_in(loss, context)); });
}

}  // namespace broch::models
