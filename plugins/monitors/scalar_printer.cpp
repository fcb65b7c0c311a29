// scalar_printer.cpp: logs the latest value of each scalar. tensorpack: `ScalarPrinter`.
#include <broch/broch.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <regex>

namespace {

using Patterns = std::optional<std::vector<std::string>>;

struct Options {
  bool enable_step, enable_epoch;
  Patterns whitelist, blacklist;

  static constexpr auto schema = broch::options(
      broch::option("enable_step", &Options::enable_step, "Log after each step.").by_default(false),
      broch::option("enable_epoch", &Options::enable_epoch, "Log after each epoch.")
          .by_default(true),
      broch::option("whitelist", &Options::whitelist,
                    "Regular expressions; log only names in which one of them is found."),
      broch::option("blacklist", &Options::blacklist,
                    "Regular expressions; do not log names in which one of them is found."));
};

// Has no queue, so that its lines stand in the log where they belong.
class ScalarPrinter final : public broch::Monitor, public broch::Callback {
 public:
  ScalarPrinter(const broch::Host& host, const Options& options)
      : host_(host),
        run_(host),
        enable_step_(options.enable_step),
        enable_epoch_(options.enable_epoch),
        has_whitelist_(options.whitelist),
        whitelist_(regexes(options.whitelist, "whitelist")),
        blacklist_(regexes(options.blacklist, "blacklist")) {}

  void process_scalar(const std::string& name, double value) override { latest_[name] = value; }

  void before_train() override { print(); }
  void trigger_step() override {
    if (enable_step_ && !(enable_epoch_ && run_.is_last_step())) print();
  }
  void trigger_epoch() override {
    if (enable_epoch_) print();
  }
  // A callback that ends the training in trigger_epoch leaves out what comes behind it.
  void after_train() override {
    if (enable_epoch_) print();
  }

 private:
  static std::vector<std::regex> regexes(const Patterns& patterns, const char* option) {
    std::vector<std::regex> list;
    if (!patterns) return list;
    for (const std::string& text : *patterns) try {
        list.emplace_back(text);
      } catch (const std::regex_error&) {
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           "'" + text + "' in " + option + " is no regular expression");
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
              "Logs the latest value of each scalar.", Options::schema)
