// area_under_curve.cpp: the area under the ROC curve and the average precision of a round.
//
// Exact, with ties, as scikit-learn's roc_auc_score and average_precision_score: equal scores are
// one point of the curve. Several classes: each against the rest, and the mean over the classes for
// which there are samples of both kinds. All scores of a round are kept, so memory grows with it.
#include <algorithm>

#include "scored.hpp"

namespace {

using namespace broch::inferencers;

enum class Area { roc_auc, average_precision };
constexpr const char* kAreas[] = {"roc_auc", "average_precision"};

struct Options : ScoredOptions {
  bool from_logits;
  std::vector<Area> metrics;
  int64_t max_scores;

  static constexpr auto schema = broch::options(
      ScoredOptions::schema,
      broch::option("from_logits", &Options::from_logits,
                    "The scores are logits, so that classes are compared by their softmax; false: "
                    "they are compared as they are.")
          .by_default(true),
      broch::option("metrics", &Options::metrics, "What to compute.")
          .one_of("roc_auc", "average_precision")
          .by_default("roc_auc", "average_precision"),
      broch::option("max_scores", &Options::max_scores,
                    "A round with more scores (samples times classes) is an error; 8 bytes of "
                    "memory for each.")
          .minimum(1)
          .by_default(100000000));
};

struct Areas {
  double roc_auc = 0, average_precision = 0;
};
struct Ranked {
  double score;
  bool is_positive;
};

class AreaUnderCurve final : public broch::Inferencer {
 public:
  AreaUnderCurve(const broch::Host& host, const Options& options)
      : host_(host), data_(host), options_(options) {}

  std::vector<std::string> fetches() override { return {options_.scores, options_.label}; }
  void before_inference() override {
    columns_.clear();
    labels_.clear();
  }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const Scored samples(data_, options_, values);
    const size_t columns = samples.classes() == 2 ? 1 : samples.classes();
    if (!labels_.empty() && columns != columns_.size())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         options_.scores + " has " + std::to_string(samples.classes()) +
                             " classes, expected as many as in the data points before");
    columns_.resize(columns);
    for (size_t i = 0; i < samples.size(); ++i)
      if (!samples.is_ignored(i)) add(samples, i);
  }
  Numbers after_inference() override {
    const std::optional<Areas> mean = mean_areas();
    Numbers numbers;
    for (const Area area : options_.metrics)
      if (mean)
        numbers.emplace_back(prefixed(options_.prefix, kAreas[size_t(area)]),
                             area == Area::roc_auc ? mean->roc_auc : mean->average_precision);
    if (!mean && !labels_.empty())
      host_.warning("no area under a curve, since all samples are of one class in " +
                    options_.label);
    columns_ = {};
    labels_ = {};
    return numbers;
  }

 private:
  // Two classes have one column: what speaks for class 1. The difference of two logits has the
  // order of the softmax.
  void add(const Scored& samples, size_t i) {
    labels_.push_back(uint32_t(samples.label(i)));
    if (labels_.size() * columns_.size() > size_t(options_.max_scores))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/max_scores: found more than " + std::to_string(options_.max_scores) +
                             " scores in a round; evaluate fewer samples, or set it higher if "
                             "there is memory for them");
    if (samples.columns() == 1)
      columns_[0].push_back(samples.score(i, 0));
    else if (samples.columns() == 2)
      columns_[0].push_back(samples.score(i, 1) - (options_.from_logits ? samples.score(i, 0) : 0));
    else
      add_classes(options_.from_logits ? samples.probabilities(i) : samples.scores(i));
  }
  void add_classes(const std::vector<double>& scores) {
    for (size_t c = 0; c < scores.size(); ++c) columns_[c].push_back(scores[c]);
  }

  // No value: no class has samples of both kinds.
  std::optional<Areas> mean_areas() const {
    Areas sum;
    int64_t curves = 0;
    for (size_t c = 0; c < columns_.size(); ++c)
      if (const auto areas = areas_of(ranked(c, columns_.size() == 1 ? 1 : uint32_t(c)))) {
        sum.roc_auc += areas->roc_auc, sum.average_precision += areas->average_precision;
        ++curves;
      }
    if (curves == 0) return std::nullopt;
    return Areas{sum.roc_auc / double(curves), sum.average_precision / double(curves)};
  }
  // The samples, those with the largest score first.
  std::vector<Ranked> ranked(size_t column, uint32_t positive) const {
    std::vector<Ranked> list(labels_.size());
    for (size_t i = 0; i < list.size(); ++i) {
      // NaN has no order: the curve is one point, without an area.
      if (std::isnan(columns_[column][i])) return {{NAN, true}, {NAN, false}};
      list[i] = {columns_[column][i], labels_[i] == positive};
    }
    std::ranges::sort(list, std::greater(), &Ranked::score);
    return list;
  }
  // No value: all samples are positive, or none is. NaN: a score is NaN.
  static std::optional<Areas> areas_of(const std::vector<Ranked>& ranked) {
    const int64_t positives = std::ranges::count(ranked, true, &Ranked::is_positive);
    const int64_t negatives = int64_t(ranked.size()) - positives;
    if (positives == 0 || negatives == 0) return std::nullopt;
    if (std::isnan(ranked[0].score)) return Areas{NAN, NAN};
    int64_t above = 0, below = 0;  // positives and negatives so far
    int64_t twice_ordered = 0;  // pairs with the positive above, and half the pairs that are equal
    double precision = 0;
    for (size_t i = 0; i < ranked.size();) {
      const double score = ranked[i].score;
      int64_t more = 0, less = 0;
      for (; i < ranked.size() && ranked[i].score == score; ++i)
        ++(ranked[i].is_positive ? more : less);
      twice_ordered += less * (2 * above + more);
      above += more, below += less;
      precision += double(more) * (double(above) / double(above + below));
    }
    return Areas{double(twice_ordered) / (2 * double(positives) * double(negatives)),
                 precision / double(positives)};
  }

  broch::Host host_;
  broch::TensorData data_;
  Options options_;
  std::vector<std::vector<double>> columns_;  // scores of all samples, column by column
  std::vector<uint32_t> labels_;
};

}  // namespace

BROCH_INFERENCER(AreaUnderCurve, "broch.inferencer.area-under-curve", "1.0.0",
                 "Area under the ROC curve, and average precision.", Options::schema,
                 broch::produces("{prefix?_}{metrics}"))
