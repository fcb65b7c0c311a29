// param_summary.cpp: summaries of weights, chosen by their names. tensorpack: `add_param_summary`.
#include "value_summary.hpp"
#include "variable_pattern.hpp"

namespace {

struct Part {
  std::string variables;
  std::vector<std::string> kinds;

  static constexpr auto schema = broch::options(
      broch::option("variables", &Part::variables,
                    "A regular expression for whole names of trainable variables.")
          .min_length(1),
      broch::option("kinds", &Part::kinds,
                    "What is reported: scalar, histogram, sparsity (the fraction of zeros), mean, "
                    "rms (the root of the mean square).")
          .min_items(1));
};

struct Options {
  std::vector<Part> parts;

  static constexpr auto schema = broch::options(
      broch::option("parts", &Options::parts, "Which variables, and what of them.").min_items(1));
};

class ParamSummary final : public broch::Callback {
 public:
  ParamSummary(const broch::Host& host, const Options& options)
      : metrics_(host), data_(host), variables_(host), scopes_(host), parts_(options.parts) {
    for (size_t i = 0; i < parts_.size(); ++i) {
      // Refuses a wrong pattern now.
      [[maybe_unused]] const broch::callbacks::VariablePattern pattern(pointer(i) + "/variables",
                                                                       parts_[i].variables);
      broch::callbacks::check_kinds(pointer(i) + "/kinds", parts_[i].kinds);
    }
  }

  void setup_graph() override {
    for (size_t i = 0; i < parts_.size(); ++i)
      broch::callbacks::for_each_match(
          variables_, BROCH_VARIABLE_TRAINABLE, "trainable variable", pointer(i) + "/variables",
          parts_[i].variables, [&](broch_variable variable, const std::string& name, const auto&) {
            shown_.push_back({variable, name, &parts_[i].kinds});
          });
  }
  void trigger() override {
    const broch::Scope scope = scopes_.open();
    broch::callbacks::ValueSummary summary;
    for (const Shown& one : shown_)
      summary.add("param-summary/" + one.name, data_.doubles(variables_.value(one.variable)),
                  *one.kinds);
    summary.put(metrics_);
  }

 private:
  struct Shown {
    broch_variable variable;
    std::string name;
    const std::vector<std::string>* kinds;
  };

  static std::string pointer(size_t part) { return "/parts/" + std::to_string(part); }

  broch::Metrics metrics_;
  broch::TensorData data_;
  broch::Variables variables_;
  broch::Scopes scopes_;
  std::vector<Part> parts_;
  std::vector<Shown> shown_;
};

}  // namespace

BROCH_CALLBACK(ParamSummary, "broch.callback.param-summary", "1.0.0",
               "Reports histograms and numbers of weights that are chosen by their names.",
               Options::schema)
