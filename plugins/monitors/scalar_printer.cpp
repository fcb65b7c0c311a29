// scalar_printer.cpp: logs the latest value of each scalar. tensorpack: `ScalarPrinter`.
#include <broch/broch.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <regex>

namespace {

class ScalarPrinter final : public broch::Monitor, public broch::Callback {
 public:
  explicit ScalarPrinter(const broch::Host& host) : host_(host), run_(host) {
    const broch::Config config(host);
    enable_step_ = config.boolean("/enable_step");
    enable_epoch_ = config.boolean("/enable_epoch");
    has_whitelist_ = config.has("/whitelist");
    if (has_whitelist_) whitelist_ = regexes(config, "/whitelist");
    if (config.has("/blacklist")) blacklist_ = regexes(config, "/blacklist");
  }

  void process_scalar(const std::string& name, double value) override { latest_[name] = value; }

  void before_train() override { print(); }
  void trigger_step() override {
    if (enable_step_ && !(enable_epoch_ && run_.is_last_step())) print();
  }
  void trigger_epoch() override {
    if (enable_epoch_) print();
  }

 private:
  static std::vector<std::regex> regexes(const broch::Config& config, const std::string& at) {
    std::vector<std::regex> list;
    for (const std::string& text : config.strings(at)) try {
        list.emplace_back(text);
      } catch (const std::regex_error&) {
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           "'" + text + "' in " + at.substr(1) + " is no regular expression");
      }
    return list;
  }
  static bool matches(const std::vector<std::regex>& list, const std::string& name) {
    for (const std::regex& regex : list)
      if (std::regex_search(name, regex)) return true;
    return false;
  }

  // Scalars that are filtered out are forgotten as well, as in tensorpack.
  void print() {
    for (const auto& [name, value] : latest_) {
      if ((has_whitelist_ && !matches(whitelist_, name)) || matches(blacklist_, name)) continue;
      char number[40];
      std::snprintf(number, sizeof number, "%.5g", std::isnan(value) ? NAN : value);
      host_.info(name + ": " + number);
    }
    latest_.clear();
  }

  broch::Host host_;
  broch::Run run_;
  bool enable_step_, enable_epoch_, has_whitelist_;
  std::vector<std::regex> whitelist_, blacklist_;
  std::map<std::string, double> latest_;
};

}  // namespace

BROCH_MONITOR(ScalarPrinter, "broch.monitor.scalar-printer", "1.0.0",
              "Logs the latest value of each scalar.", R"({
  "type": "object",
  "properties": {
    "enable_step": {"type": "boolean", "default": false, "description": "Log after each step."},
    "enable_epoch": {"type": "boolean", "default": true, "description": "Log after each epoch."},
    "whitelist": {"type": ["array", "null"], "items": {"type": "string"}, "default": null,
                  "description": "Regular expressions; log only names in which one of them is found."},
    "blacklist": {"type": ["array", "null"], "items": {"type": "string"}, "default": null,
                  "description": "Regular expressions; do not log names in which one of them is found."}
  },
  "additionalProperties": false
})")
