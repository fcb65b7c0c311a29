// @FILE@.cpp: a session init that sets variables to a value given in the manifest.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::string prefix;
  double value;

  static constexpr auto schema = broch::options(
      broch::option("prefix", &Options::prefix, "Of the names of the variables.").by_default(""),
      broch::option("value", &Options::value, "Of all their elements.").by_default(0));
};

class @CLASS@ final : public broch::SessionInit {
 public:
  @CLASS@(const broch::Host& host, const Options& options)
      : host_(host), variables_(host), prefix_(options.prefix), value_(options.value) {}

  void init() override {
    for (const broch_variable variable : variables_.list(BROCH_VARIABLE_TRAINABLE)) {
      const broch_variable_info info = variables_.info(variable);
      if (std::string(info.name).compare(0, prefix_.size(), prefix_) != 0) continue;
      if (info.dtype != BROCH_FLOAT32)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT, std::string(info.name) + " is not float32");
      size_t elements = 1;
      for (uint32_t d = 0; d < info.rank; ++d) elements *= size_t(info.shape[d]);
      variables_.assign(variable, std::vector<float>(elements, float(value_)));
      host_.info(std::string(info.name) + " starts at " + std::to_string(value_));
    }
  }

 private:
  broch::Host host_;
  broch::Variables variables_;
  std::string prefix_;
  double value_;
};

}  // namespace

BROCH_SESSION_INIT(@CLASS@, "@ID@", "0.1.0", "Starts trainable variables at a value.",
                   Options::schema)
