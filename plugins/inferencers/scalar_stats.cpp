// scalar_stats.cpp: unweighted means of scalar outputs over the data points of a round. tensorpack:
// `ScalarStats`.
#include <broch/broch.hpp>

namespace {

class ScalarStats final : public broch::Inferencer {
 public:
  explicit ScalarStats(const broch::Host& host) : data_(host) {
    const broch::Config config(host);
    names_ = config.strings("/names");
    prefix_ = config.string("/prefix");
  }

  std::vector<std::string> fetches() override { return names_; }
  void before_inference() override {
    sums_.assign(names_.size(), 0);
    count_ = 0;
  }
  void on_fetches(const broch_tensor* values, uint32_t n) override {
    for (uint32_t i = 0; i < n; ++i) sums_[i] += data_.item(values[i]);
    ++count_;
  }
  std::vector<std::pair<std::string, double>> after_inference() override {
    std::vector<std::pair<std::string, double>> means;
    for (size_t i = 0; i < names_.size() && count_ > 0; ++i)
      means.emplace_back(prefix_.empty() ? names_[i] : prefix_ + "_" + names_[i],
                         sums_[i] / double(count_));
    return means;
  }

 private:
  broch::TensorData data_;
  std::vector<std::string> names_;
  std::string prefix_;
  std::vector<double> sums_;
  int64_t count_ = 0;
};

}  // namespace

BROCH_COMPONENT_MORE(ScalarStats, "broch.inferencer.scalar-stats", "inferencer", "1.0.0",
                     "Unweighted means of scalar outputs over the data points of a round.",
                     R"("produces": ["{prefix?_}{names}"])", R"({
  "type": "object",
  "properties": {
    "names": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}],
              "description": "Names of published scalars. A smaller last batch has the same weight as the others."},
    "prefix": {"type": "string", "default": "validation", "description": "The metric is {prefix}_{name}; empty: the name alone."}
  },
  "required": ["names"],
  "additionalProperties": false
})")
