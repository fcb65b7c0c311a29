// param_summary.cpp: summaries of weights, chosen by their names. tensorpack: `add_param_summary`.
#include <regex>

#include "value_summary.hpp"

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
    for (const Part& part : parts_) check(part);
  }

  void setup_graph() override {
    for (const Part& part : parts_) {
      const std::regex pattern(part.variables);
      const size_t before = shown_.size();
      for (const broch_variable variable : variables_.list(BROCH_VARIABLE_TRAINABLE)) {
        const std::string name = variables_.info(variable).name;
        if (std::regex_match(name, pattern)) shown_.push_back({variable, name, &part.kinds});
      }
      if (shown_.size() == before)
        throw broch::Error(BROCH_E_NOT_FOUND,
                           "/parts: found no trainable variable whose whole name matches '" +
                               part.variables + "', expected at least one");
    }
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

  static void check(const Part& part) {
    try {
      const std::regex pattern(part.variables);
    } catch (const std::regex_error&) {
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/parts: found '" + part.variables + "', expected a regular expression");
    }
    broch::callbacks::check_kinds("/parts", part.kinds);
  }

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
               Options::schema, broch::produces())
