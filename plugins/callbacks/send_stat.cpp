// send_stat.cpp: runs a command with the latest values of metrics. tensorpack: `SendStat`,
// `SendMonitorData`.
#include <algorithm>
#include <broch/broch.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <sstream>

#include "../options/saved_state.hpp"
#include "sending/program.hpp"

namespace {

// All digits that the number needs, as Python writes them: with an exponent only far away from 1.
std::string text_of(double value) {
  const double size = std::fabs(value);
  const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e16);
  char text[32];
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  return {text, std::to_chars(text, text + sizeof text, value, format).ptr};
}

struct Options {
  std::string command;
  std::vector<std::string> names;
  bool when_all_new;
  double seconds;

  static constexpr auto schema = broch::options(
      broch::option("command", &Options::command,
                    "A command of the shell; {NAME} in it becomes the latest value of that metric.")
          .min_length(1),
      broch::option("names", &Options::names, "The metrics in the command.")
          .schema(R"("anyOf": [{"type": "string"},
                               {"type": "array", "items": {"type": "string"}, "minItems": 1}])"),
      broch::option("when_all_new", &Options::when_all_new,
                    "Runs the command after the step or at the trigger when all metrics have got a "
                    "value since the last time; false: at each trigger.")
          .by_default(false),
      broch::option("seconds", &Options::seconds,
                    "After this time, the command is ended and counts as failed.")
          .above(0)
          .by_default(600)
          .unit("seconds"));
};

class SendStat final : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  SendStat(const broch::Host& host, const Options& options)
      : host_(host),
        metrics_(host),
        command_(options.command),
        names_(options.names),
        when_all_new_(options.when_all_new),
        seconds_(options.seconds),
        sent_(names_.size()) {}

  void trigger_step() override {
    if (when_all_new_) trigger();
  }
  void trigger() override {
    if (when_all_new_ && !take_new()) return;
    send();
  }

  // How many values each metric had when the command ran.
  std::string save_state() override {
    std::string text;
    for (const size_t count : sent_) text += std::to_string(count) + " ";
    return text;
  }
  void load_state(uint32_t, const std::string& bytes) override {
    std::istringstream words(bytes);
    std::vector<size_t> counts;
    for (std::string word; words >> word;)
      counts.push_back(broch::saved::number_of<size_t>(word).value_or(SIZE_MAX));
    if (counts.size() != names_.size() || std::ranges::count(counts, SIZE_MAX) > 0)
      broch::saved::refuse(broch::saved::quoted(bytes),
                           "a number for each of " + std::to_string(names_.size()) + " metrics");
    sent_ = std::move(counts);
  }

 private:
  bool take_new() {
    std::vector<size_t> counts;
    for (const std::string& name : names_) {
      counts.push_back(metrics_.history(name).size());
      if (counts.back() <= sent_[counts.size() - 1]) return false;
    }
    sent_ = counts;
    return true;
  }
  void send() const {
    std::string command = command_;
    for (const std::string& name : names_) {
      const auto latest = metrics_.latest(name);
      if (!latest)
        throw broch::Error(BROCH_E_NOT_FOUND, "metric " + name +
                                                  " has no value yet; put this "
                                                  "callback after what reports it");
      replace(command, "{" + name + "}", text_of(latest->value));
    }
    run(command);
  }

  static void replace(std::string& text, const std::string& word, const std::string& by) {
    for (size_t at = 0; (at = text.find(word, at)) != text.npos; at += by.size())
      text.replace(at, word.size(), by);
  }
  // A command that fails does not end the training.
  void run(const std::string& command) const {
    try {
      const broch::sending::Ran ran =
          broch::sending::run_program({"/bin/sh", "-c", command}, "", "", seconds_);
      std::string said = ran.output + ran.errors;
      if (said.ends_with('\n')) said.pop_back();
      if (!said.empty()) host_.info(said);
      if (ran.too_slow)
        host_.error("more than " + broch::number_text(seconds_) +
                    " seconds were needed by the command: " + command);
      else if (ran.code != 0)
        host_.error("exit code " + std::to_string(ran.code) + " of the command: " + command);
    } catch (const broch::Error& error) {
      host_.error("the command was not run: " + std::string(error.what()));
    }
  }

  broch::Host host_;
  broch::Metrics metrics_;
  std::string command_;
  std::vector<std::string> names_;
  bool when_all_new_;
  double seconds_;
  std::vector<size_t> sent_;
};

}  // namespace

BROCH_CALLBACK(SendStat, "broch.callback.send-stat", "1.0.0",
               "Runs a command with the latest values of metrics.", Options::schema,
               broch::produces(), broch::consumes("{names}"))
