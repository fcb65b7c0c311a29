// binary_classification_stats.cpp: precision and recall of predictions 0 or 1 over a round; 0 if
// there is nothing to divide by. tensorpack: `BinaryClassificationStats`.
#include "samples.hpp"

namespace {

using namespace broch::inferencers;

struct Options {
  std::string pred_tensor_name, label_tensor_name, prefix;

  static constexpr auto schema = broch::options(
      broch::option("pred_tensor_name", &Options::pred_tensor_name,
                    "Name of an output with a prediction, 0 or 1, for each sample."),
      broch::option("label_tensor_name", &Options::label_tensor_name,
                    "Name of an output or input of the same shape with the truth, 0 or 1."),
      broch::option("prefix", &Options::prefix,
                    "The metrics are {prefix}_{name}; empty: the names alone.")
          .by_default("val"));
};

class BinaryClassificationStats final : public broch::Inferencer {
 public:
  BinaryClassificationStats(const broch::Host& host, const Options& options)
      : data_(host), options_(options) {}

  std::vector<std::string> fetches() override {
    return {options_.pred_tensor_name, options_.label_tensor_name};
  }
  void before_inference() override { right_ = predicted_ = positive_ = 0; }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const Fetched said(data_, options_.pred_tensor_name, values[0]);
    const Fetched truth(data_, options_.label_tensor_name, values[1]);
    check_same_shape(said, truth);
    const std::vector<bool> is_said = flags(said), is_true = flags(truth);
    for (size_t i = 0; i < is_said.size(); ++i) {
      right_ += is_said[i] && is_true[i];
      predicted_ += is_said[i];
      positive_ += is_true[i];
    }
  }
  Numbers after_inference() override {
    return {{prefixed(options_.prefix, "precision"), share_of(predicted_)},
            {prefixed(options_.prefix, "recall"), share_of(positive_)}};
  }

 private:
  std::vector<bool> flags(const Fetched& from) const {
    std::vector<bool> list;
    for (const double value : data_.doubles(from.tensor)) {
      if (value != 0 && value != 1)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           from.name + " has the value " + broch::number_text(value) +
                               ", expected 0 or 1 for each sample; publish a comparison, such as "
                               "score > 0, or use confusion-matrix");
      list.push_back(value == 1);
    }
    return list;
  }
  double share_of(int64_t all) const { return all > 0 ? double(right_) / double(all) : 0; }

  broch::TensorData data_;
  Options options_;
  int64_t right_ = 0, predicted_ = 0, positive_ = 0;
};

}  // namespace

BROCH_INFERENCER(BinaryClassificationStats, "broch.inferencer.binary-classification-stats", "1.0.0",
                 "Precision and recall of predictions that are 0 or 1.", Options::schema,
                 broch::produces("{prefix?_}precision", "{prefix?_}recall"))
