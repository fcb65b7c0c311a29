// activation_summary.cpp: summaries of published values, of the last step of each epoch.
// tensorpack: `add_activation_summary`.
#include "published_names.hpp"
#include "value_summary.hpp"

namespace {

struct Options {
  std::vector<std::string> names, patterns, kinds;

  static constexpr auto schema = broch::options(
      broch::option("names", &Options::names, "Published names.").by_default(),
      broch::option("patterns", &Options::patterns,
                    "Regular expressions for whole published names, beside those of names.")
          .by_default(),
      broch::option("kinds", &Options::kinds,
                    "What is reported: scalar, histogram, sparsity (the fraction of zeros), mean, "
                    "rms (the root of the mean square).")
          .min_items(1)
          .by_default("sparsity", "rms", "histogram"));
};

class ActivationSummary final : public broch::Callback {
 public:
  ActivationSummary(const broch::Host& host, const Options& options)
      : host_(host),
        run_(host),
        metrics_(host),
        data_(host),
        names_(options.names),
        options_(options) {
    if (options.names.empty() && options.patterns.empty())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/names: found none, expected names or patterns");
    broch::callbacks::check_patterns("/patterns", options.patterns);
    broch::callbacks::check_kinds("/kinds", options.kinds);
  }

  void setup_graph() override {
    broch::callbacks::add_published(host_, "/patterns", options_.patterns, names_);
    for (const std::string& name : names_) fetches_.push_back(run_.fetch(name));
  }
  uint64_t before_run(broch_run, uint64_t fetches) override {
    return run_.is_last_step() ? fetches : 0;
  }
  void after_run(broch_run run) override {
    broch::callbacks::ValueSummary summary;
    for (size_t i = 0; i < fetches_.size(); ++i)
      if (const auto value = run_.value(run, fetches_[i]))
        summary.add("activation-summary/" + names_[i], data_.doubles(*value), options_.kinds);
    summary.put(metrics_);
  }

 private:
  broch::Host host_;
  broch::Run run_;
  broch::Metrics metrics_;
  broch::TensorData data_;
  std::vector<std::string> names_;
  Options options_;
  std::vector<uint32_t> fetches_;
};

}  // namespace

BROCH_CALLBACK(ActivationSummary, "broch.callback.activation-summary", "1.0.0",
               "Reports histograms and numbers of published values, once per epoch.",
               Options::schema)
