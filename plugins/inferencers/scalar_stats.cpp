// scalar_stats.cpp: unweighted means of scalar outputs over the data points of a round. tensorpack:
// `ScalarStats`.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::vector<std::string> names;
  std::string prefix;

  static constexpr auto schema = broch::options(
      broch::option(
          "names", &Options::names,
          "Names of published scalars. A smaller last batch has the same weight as the others.")
          .schema(R"("anyOf": [{"type": "string"},
                               {"type": "array", "items": {"type": "string"}, "minItems": 1}])"),
      broch::option("prefix", &Options::prefix,
                    "The metric is {prefix}_{name}; empty: the name alone.")
          .by_default("validation"));
};

class ScalarStats final : public broch::Inferencer {
 public:
  ScalarStats(const broch::Host& host, const Options& options)
      : data_(host), names_(options.names), prefix_(options.prefix) {}

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

BROCH_INFERENCER(ScalarStats, "broch.inferencer.scalar-stats", "1.0.0",
                 "Unweighted means of scalar outputs over the data points of a round.",
                 Options::schema, broch::produces("{prefix?_}{names}"))
