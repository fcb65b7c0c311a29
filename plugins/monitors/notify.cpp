// notify.cpp: tells somebody how a training has ended, by an HTTP request or a command.
#include <unistd.h>

#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "latest_values.hpp"
#include "sending/http.hpp"
#include "sending/program.hpp"

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::optional<std::string> url, command, run;
  std::vector<std::string> on;
  std::string text_member;
  double seconds;

  static constexpr auto schema = broch::options(
      broch::option("url", &Options::url,
                    "Where to POST the notification as JSON, such as a webhook of Slack; keep it "
                    "secret with ${env:NAME}. null: nowhere.")
          .pattern("^https?://"),
      broch::option("command", &Options::command,
                    "A command of the shell that gets the notification as JSON on its input, and "
                    "its text in BROCH_TEXT; null: none."),
      broch::option("on", &Options::on,
                    "The ends that are told: finished after the last epoch, stopped by a component "
                    "or the end of the data, interrupted by a signal or broch ctl stop, failed.")
          .one_of("finished", "stopped", "interrupted", "failed")
          .by_default("finished", "stopped", "failed"),
      broch::option("text_member", &Options::text_member,
                    "The member of the JSON object with the text for people: text for Slack and "
                    "Mattermost, content for Discord.")
          .min_length(1)
          .by_default("text"),
      broch::option("run", &Options::run,
                    "What the run is called; null: the name of the log folder."),
      broch::option("seconds", &Options::seconds, "After this time, a notification is given up.")
          .above(0)
          .maximum(600)
          .by_default(10)
          .unit("seconds"));
};

// Has no queue: what takes long comes after the training, and has a limit of its own.
class Notify final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  Notify(const broch::Host& host, Options options)
      : host_(host),
        run_(host),
        log_dir_(broch::LogDir(host).path()),
        options_(std::move(options)) {
    if (!options_.url && !options_.command)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "found neither url nor command, expected at least one of them");
  }

  void before_train() override {
    if (log_dir_ && options_.url) broch::sending::require_curl();
  }
  void process_scalar(const std::string& name, double value) override { latest_[name] = value; }
  void process_event(const std::string& kind, const std::string& data) override {
    if (kind == BROCH_EVENT_TRAINING_ENDED) ending_ = Json::parse(data, nullptr, false);
  }
  // Other monitors may still be writing, but the numbers are all there.
  void after_train() override {
    if (!log_dir_ || !ending_.is_object()) return;
    const std::string outcome = ending_.value("outcome", "");
    if (std::ranges::find(options_.on, outcome) == options_.on.end()) return;
    const std::string text = text_of(outcome);
    const std::string message = message_of(text);
    if (options_.url) attempt("the notification by HTTP", [&] { post(message); });
    if (options_.command) attempt("the command of the notification", [&] { run(message, text); });
  }

  std::string save_state() override { return broch::monitors::saved_values(latest_); }
  void load_state(uint32_t, const std::string& bytes) override {
    latest_ = broch::monitors::read_values(bytes);
  }

 private:
  std::string name() const {
    return options_.run.value_or(std::filesystem::path(*log_dir_).lexically_normal().filename());
  }
  // "digits failed in epoch 3 of 10 (global_step 271): found …"
  std::string text_of(const std::string& outcome) const {
    const broch_progress& now = run_.progress();
    std::string text = name() + (outcome == "failed" ? " " : " was ") + outcome;
    if (outcome == "finished") text = name() + " has finished";
    text += " in epoch " + std::to_string(now.epoch_num) + " (global_step " +
            std::to_string(now.global_step) + ")";
    const std::string reason = ending_.value("reason", "");
    return reason.empty() ? text : text + ": " + reason;
  }
  std::string message_of(const std::string& text) const {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    Json message = {
        {options_.text_member, text}, {"run", name()}, {"host", host}, {"log_dir", *log_dir_}};
    message.update(ending_);
    message["epoch"] = run_.progress().epoch_num;
    message["global_step"] = run_.progress().global_step;
    Json& metrics = message["metrics"] = Json::object();
    for (const auto& [metric, value] : latest_)
      metrics[metric] = std::isfinite(value) ? Json(value) : Json(broch::number_text(value));
    return message.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void post(const std::string& message) const {
    broch::sending::ask({.url = *options_.url, .body = message, .seconds = options_.seconds});
  }
  void run(const std::string& message, const std::string& text) const {
    const broch::sending::Ran ran = broch::sending::run_program(
        {"/usr/bin/env", "BROCH_TEXT=" + text, "/bin/sh", "-c", *options_.command}, message, "",
        options_.seconds);
    if (ran.too_slow)
      throw broch::Error(BROCH_E_DEADLINE,
                         "it took more than " + broch::number_text(options_.seconds) + " seconds");
    if (ran.code != 0)
      throw broch::Error(BROCH_E_UNAVAILABLE,
                         "exit code " + std::to_string(ran.code) + "\n" + ran.errors);
  }
  // A training does not fail because nobody can be told.
  template <class Action>
  void attempt(const char* what, Action&& action) const {
    try {
      action();
    } catch (const broch::Error& error) {
      host_.error(std::string(what) + " failed: " + error.what());
    }
  }

  broch::Host host_;
  broch::Run run_;
  std::optional<std::string> log_dir_;  // of the process that has one
  Options options_;
  broch::monitors::LatestValues latest_;
  Json ending_;
};

}  // namespace

BROCH_MONITOR(Notify, "broch.monitor.notify", "1.0.0",
              "Tells somebody how a training has ended, by an HTTP request or a command.",
              Options::schema)
