// human_hyper_param_setter.cpp: sets a hyper-parameter to the value that somebody has written into
// a file. tensorpack: `HumanHyperParamSetter`.
#include <broch/broch.hpp>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "../options/trimmed.hpp"

namespace {

struct Options : broch::HyperParamOptions {
  std::string file_name;

  static constexpr auto schema = broch::options(
      HyperParamOptions::schema,
      broch::option("file_name", &Options::file_name,
                    "A file in the log folder, with lines NAME:VALUE. It is read before training "
                    "and on each trigger; as long as it is missing, nothing changes.")
          .pattern("^[^/]+$")
          .by_default("hyper.txt"));
};

class HumanHyperParamSetter final : public broch::HyperParamSetter {
 public:
  HumanHyperParamSetter(const broch::Host& host, const Options& options)
      : HyperParamSetter(host, options), log_dir_(host), file_(options.file_name) {}

  void before_train() override {
    if (!run().progress().resumed) trigger();  // otherwise the restored value is kept
  }
  void trigger() override {
    if (!log_dir_.path()) return;
    const auto text = log_dir_.read_file(file_);
    if (!text) return;
    if (const auto value = value_in(*text)) set(*value);
  }

 private:
  // The last line with the name counts. As in tensorpack, a line that cannot be read spoils the
  // file: it may be half written.
  std::optional<double> value_in(const std::string& text) const {
    std::optional<double> value;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (broch::trimmed(line).empty()) continue;
      const size_t colon = line.rfind(':');
      const auto number = colon == line.npos ? std::nullopt : number_in(line.substr(colon + 1));
      if (!number) {
        host().warning("line '" + line + "' of " + file_ + " is not NAME:VALUE: nothing is set");
        return std::nullopt;
      }
      if (broch::trimmed(line.substr(0, colon)) == param()) value = number;
    }
    if (!value) host().warning(file_ + " has no line " + param() + ":VALUE: nothing is set");
    return value;
  }
  static std::optional<double> number_in(const std::string& field) {
    const std::string text(broch::trimmed(field));
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
    return number;
  }

  broch::LogDir log_dir_;
  std::string file_;
};

}  // namespace

BROCH_CALLBACK(HumanHyperParamSetter, "broch.callback.human-hyper-param-setter", "1.0.0",
               "Sets a hyper-parameter to the value in a file of the log folder.", Options::schema,
               broch::produces("{param}"))
