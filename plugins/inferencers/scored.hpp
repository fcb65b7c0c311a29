// scored.hpp: scores of classes and true classes, sample by sample. Shared by the inferencers for
// classification.
#pragma once
#include "samples.hpp"

namespace broch::inferencers {

struct ScoredOptions {
  std::string scores, label;
  int64_t class_dim;
  std::optional<int64_t> ignore_index;
  std::string prefix;

  static constexpr auto schema = options(
      option("scores", &ScoredOptions::scores,
             "Name of an output with a score for each class, such as logits.")
          .by_default("logits"),
      option("label", &ScoredOptions::label,
             "Name of an output or input with the true classes, which has one dimension less.")
          .by_default("label"),
      option("class_dim", &ScoredOptions::class_dim,
             "The dimension of the classes: 1, or -1 for sequences (N, T, C).")
          .schema(R"("enum": [1, -1])")
          .by_default(1),
      option("ignore_index", &ScoredOptions::ignore_index,
             "Samples with this true class are left out; null: none are."),
      option("prefix", &ScoredOptions::prefix,
             "The metrics are {prefix}_{name}; empty: the names alone.")
          .by_default("validation"));
};

// Scores (N, C, …) or (N, …, C) and true classes (N, …). If both have the same shape, there is one
// column: scores for class 1 of two. A sample is one true class.
class Scored {
 public:
  Scored(const TensorData& data, const ScoredOptions& options, const broch_tensor* fetched) {
    const Fetched scores(data, options.scores, fetched[0]);
    const Fetched labels(data, options.label, fetched[1]);
    if (scores.info.dtype == BROCH_FLOAT32)
      floats_ = data.floats(scores.tensor);
    else
      doubles_ = data.doubles(scores.tensor);
    labels_ = whole_numbers(data, labels);
    label_name_ = options.label;
    ignored_ = options.ignore_index;
    if (same_shape(scores.info, labels.info)) return;
    const uint32_t axis = options.class_dim < 0 ? scores.info.rank - 1 : 1;
    if (!has_axis(scores.info, labels.info, axis))
      refuse_shapes(scores, labels,
                    "scores with one dimension more, that of the classes (class_dim), or scores of "
                    "the same shape for class 1 of two");
    columns_ = size_t(scores.info.shape[axis]);
    for (uint32_t i = axis; i < labels.info.rank; ++i) inner_ *= size_t(labels.info.shape[i]);
  }

  size_t size() const { return labels_.size(); }
  size_t columns() const { return columns_; }
  size_t classes() const { return columns_ == 1 ? 2 : columns_; }
  bool is_ignored(size_t sample) const { return labels_[sample] == ignored_; }
  size_t label(size_t sample) const {
    const int64_t label = labels_[sample];
    if (label < 0 || size_t(label) >= classes())
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  label_name_ + " has the class " + std::to_string(label) + ", expected 0 to " +
                      std::to_string(classes() - 1) + ", or the value of ignore_index");
    return size_t(label);
  }
  double score(size_t sample, size_t column) const {
    const size_t at = (sample / inner_ * columns_ + column) * inner_ + sample % inner_;
    return doubles_.empty() ? double(floats_[at]) : doubles_[at];
  }
  // The first column with the largest score; NaN is larger than all numbers, as in PyTorch.
  size_t best(size_t sample) const {
    size_t best = 0;
    double largest = score(sample, 0);
    for (size_t c = 1; c < columns_ && !std::isnan(largest); ++c)
      if (const double other = score(sample, c); other > largest || std::isnan(other))
        best = c, largest = other;
    return best;
  }
  std::vector<double> scores(size_t sample) const {
    std::vector<double> list(columns_);
    for (size_t c = 0; c < columns_; ++c) list[c] = score(sample, c);
    return list;
  }
  // The softmax of the scores; of one column the sigmoid.
  std::vector<double> probabilities(size_t sample) const {
    if (columns_ == 1) return {1 / (1 + std::exp(-score(sample, 0)))};
    std::vector<double> shares(columns_);
    const double largest = score(sample, best(sample));
    double sum = 0;
    for (size_t c = 0; c < columns_; ++c) sum += shares[c] = std::exp(score(sample, c) - largest);
    for (double& share : shares) share /= sum;
    return shares;
  }

 private:
  static bool has_axis(const broch_tensor_info& scores, const broch_tensor_info& labels,
                       uint32_t axis) {
    if (scores.rank != labels.rank + 1 || axis >= scores.rank || scores.shape[axis] < 1)
      return false;
    bool fits = true;
    for (uint32_t i = 0; i < labels.rank; ++i)
      fits = fits && scores.shape[i < axis ? i : i + 1] == labels.shape[i];
    return fits;
  }

  std::vector<float> floats_;    // the scores, if they are float32
  std::vector<double> doubles_;  // otherwise
  std::vector<int64_t> labels_;
  std::string label_name_;
  std::optional<int64_t> ignored_;
  size_t columns_ = 1, inner_ = 1;
};

}  // namespace broch::inferencers
