// pr_curve.cpp: the curve of precision over recall of a round, for monitors that draw it.
//
// Samples are counted in intervals between the thresholds, so memory does not grow with the round.
// Several classes: a curve for each class against the rest.
#include <algorithm>
#include <deque>

#include "scored.hpp"

namespace {

using namespace broch::inferencers;

struct Options : ScoredOptions {
  bool from_logits;
  size_t thresholds;

  static constexpr auto schema = broch::options(
      ScoredOptions::schema,
      broch::option("from_logits", &Options::from_logits,
                    "The scores are logits, whose softmax is taken; false: they are probabilities.")
          .by_default(true),
      broch::option("thresholds", &Options::thresholds,
                    "Points of the curve: thresholds from 0 to 1, with equal distances.")
          .minimum(2)
          .maximum(10000)
          .by_default(101));
};

// Samples of one class against the rest, by the last threshold that they reach.
struct Counts {
  std::vector<double> positives, negatives;

  explicit Counts(size_t thresholds) : positives(thresholds), negatives(thresholds) {}
  void add(double probability, bool is_positive) {
    const double last = double(positives.size() - 1);
    const double reached = std::isnan(probability) ? 0 : std::clamp(probability * last, 0.0, last);
    ++(is_positive ? positives : negatives)[size_t(reached)];
  }
  // (4, thresholds), as BROCH_SUMMARY_PR_CURVE wants it.
  std::vector<double> curve() const {
    const size_t n = positives.size();
    std::vector<double> rows(4 * n);
    double true_positives = 0, false_positives = 0;
    for (size_t i = n; i-- > 0;) {
      rows[i] = true_positives += positives[i];
      rows[n + i] = false_positives += negatives[i];
    }
    for (size_t i = 0; i < n; ++i) {
      rows[2 * n + i] = rows[n] - rows[n + i];  // all negatives but the false positives
      rows[3 * n + i] = rows[0] - rows[i];
    }
    return rows;
  }
};

class PrCurve final : public broch::Inferencer {
 public:
  PrCurve(const broch::Host& host, const Options& options)
      : host_(host), data_(host), options_(options) {}

  std::vector<std::string> fetches() override { return {options_.scores, options_.label}; }
  void before_inference() override { classes_.clear(); }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const Scored samples(data_, options_, values);
    const size_t curves = samples.classes() == 2 ? 1 : samples.classes();
    if (classes_.empty()) classes_.assign(curves, Counts(options_.thresholds));
    if (classes_.size() != curves)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         options_.scores + " has " + std::to_string(samples.classes()) +
                             " classes, expected as many as in the data points before");
    for (size_t i = 0; i < samples.size(); ++i)
      if (!samples.is_ignored(i)) add(samples, i);
  }
  Numbers after_inference() override {
    const std::string name = prefixed(options_.prefix, "pr_curve");
    std::deque<std::string> tags;  // whose addresses stay
    std::deque<std::vector<double>> curves;
    std::deque<broch_dl_tensor> tensors;
    std::vector<broch_summary_value> values;
    int64_t shape[] = {4, int64_t(options_.thresholds)};
    for (const Counts& counts : classes_) {
      tags.push_back(classes_.size() == 1 ? name : name + "/" + std::to_string(tags.size()));
      curves.push_back(counts.curve());
      tensors.push_back(
          broch::dl_view(curves.back().data(), broch::dl_type(BROCH_FLOAT64), shape, 2));
      values.push_back(
          {tags.back().c_str(), BROCH_SUMMARY_PR_CURVE, 0, 0, &tensors.back(), nullptr, 0});
    }
    if (!values.empty()) broch::Metrics(host_).put_summary(values);
    return {};
  }

 private:
  // Two classes have one curve: that of class 1.
  void add(const Scored& samples, size_t i) {
    const std::vector<double> scores =
        options_.from_logits ? samples.probabilities(i) : samples.scores(i);
    for (const double score : scores)
      if (score < 0 || score > 1)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           options_.scores + " has the value " + broch::number_text(score) +
                               ", expected probabilities; set from_logits if these are logits");
    if (classes_.size() == 1) return classes_[0].add(scores.back(), samples.label(i) == 1);
    for (size_t c = 0; c < scores.size(); ++c) classes_[c].add(scores[c], samples.label(i) == c);
  }

  broch::Host host_;
  broch::TensorData data_;
  Options options_;
  std::vector<Counts> classes_;
};

}  // namespace

BROCH_INFERENCER(PrCurve, "broch.inferencer.pr-curve", "1.0.0",
                 "A curve of precision over recall, for TensorBoard.", Options::schema,
                 broch::produces())
