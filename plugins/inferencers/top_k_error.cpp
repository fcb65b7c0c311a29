// top_k_error.cpp: the share of samples of a round whose true class is not among the k largest
// scores. Of equal scores at the border all count as among them, and a true class whose score is
// not finite as wrong, as in tf.math.in_top_k, which the models of tensorpack use. NaN is larger
// than all numbers, as in PyTorch.
#include "scored.hpp"

namespace {

using namespace broch::inferencers;

struct Options : ScoredOptions {
  std::vector<int64_t> k;

  static constexpr auto schema = broch::options(
      ScoredOptions::schema,
      broch::option("k", &Options::k, "How many of the largest scores count; a metric for each.")
          .min_items(1)
          .minimum(1)
          .by_default(1, 5));
};

class TopKError final : public broch::Inferencer {
 public:
  TopKError(const broch::Host& host, const Options& options) : data_(host), options_(options) {}

  std::vector<std::string> fetches() override { return {options_.scores, options_.label}; }
  void before_inference() override {
    wrong_.assign(options_.k.size(), 0);
    total_ = 0;
  }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const Scored samples(data_, options_, values);
    if (samples.columns() < samples.classes())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         options_.scores +
                             ": found one score for each sample, expected a score for each class; "
                             "use area-under-curve or binary-classification-stats");
    for (const int64_t k : options_.k)
      if (size_t(k) > samples.columns())
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           "/k: found " + std::to_string(k) + ", expected at most " +
                               std::to_string(samples.columns()) + ", the number of classes that " +
                               options_.scores + " has");
    for (size_t i = 0; i < samples.size(); ++i)
      if (!samples.is_ignored(i)) add(samples, i);
  }
  Numbers after_inference() override {
    Numbers errors;
    for (size_t i = 0; i < wrong_.size() && total_ > 0; ++i)
      errors.emplace_back(
          prefixed(options_.prefix, "top" + std::to_string(options_.k[i]) + "_error"),
          double(wrong_[i]) / double(total_));
    return errors;
  }

 private:
  void add(const Scored& samples, size_t i) {
    const double own = samples.score(i, samples.label(i));
    int64_t above = 0;
    for (size_t c = 0; c < samples.columns(); ++c)
      if (const double other = samples.score(i, c); other > own || std::isnan(other)) ++above;
    for (size_t j = 0; j < wrong_.size(); ++j)
      wrong_[j] += !std::isfinite(own) || above >= options_.k[j];
    ++total_;
  }

  broch::TensorData data_;
  Options options_;
  std::vector<int64_t> wrong_;  // for each k
  int64_t total_ = 0;
};

}  // namespace

BROCH_INFERENCER(TopKError, "broch.inferencer.top-k-error", "1.0.0",
                 "Share of samples whose true class is not among the k largest scores.",
                 Options::schema, broch::produces("{prefix?_}top{k}_error"))
