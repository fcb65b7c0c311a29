// progress_bar.cpp: shows the steps of an epoch, followed by the cost and other values of the
// model. tensorpack: `ProgressBar`.
#include <broch/broch.hpp>
#include <cmath>
#include <cstdio>

namespace {

// max_epoch is not shown if it is this large. Its default is this number, as in tensorpack.
constexpr int64_t kEndless = 99999;

struct Options {
  std::vector<std::string> names, metrics;

  static constexpr auto schema = broch::options(
      broch::option("names", &Options::names, "Scalars to show in addition to the cost.")
          .by_default(),
      broch::option("metrics", &Options::metrics,
                    "Reported metrics, such as validation_error, to show with their last values.")
          .by_default());
};

class ProgressBar final : public broch::Callback {
 public:
  ProgressBar(const broch::Host& host, const Options& options)
      : host_(host),
        run_(host),
        reported_(host),
        names_(options.names),
        metrics_(options.metrics) {}

  void setup_graph() override {
    const std::string cost = cost_name();
    if (!cost.empty()) shown_.push_back({"cost", run_.fetch(cost)});
    for (const std::string& name : names_)
      if (name != cost) shown_.push_back({name.substr(name.rfind('/') + 1), run_.fetch(name)});
  }
  void before_epoch() override {
    const broch_progress& now = run_.progress();
    std::string label = "epoch " + std::to_string(now.epoch_num);
    if (now.max_epoch < kEndless) label.append("/").append(std::to_string(now.max_epoch));
    bar_.emplace(host_, label, now.steps_per_epoch);
    // In a run that is resumed within an epoch; otherwise these are the steps of the previous one.
    const int64_t done = now.local_step + 1;
    if (done > 0 && done < now.steps_per_epoch) bar_->advance(done);
    is_first_run_ = true;
  }
  // Shows values of the first hooked run of a step. They are fetched in every step, so that
  // training does not depend on what is drawn. They are read, which may wait for a device, only
  // when they are drawn.
  uint64_t before_run(broch_run, uint64_t fetches) override { return is_first_run_ ? fetches : 0; }
  void after_run(broch_run run) override {
    if (!is_first_run_) return;
    is_first_run_ = false;
    if (!advance()) return;
    const std::string text = text_of(run);
    if (!text.empty()) bar_->describe(text);
  }
  void trigger_step() override {
    if (is_first_run_) advance();
    is_first_run_ = true;
  }
  void after_epoch() override { bar_.reset(); }
  void after_train() override { bar_.reset(); }

 private:
  struct Shown {
    std::string label;
    uint32_t fetch;
  };

  // The name under which the main tower published the cost. "": it did not, or there is no cost.
  std::string cost_name() const {
    try {
      const std::vector<std::string> names = broch::Collections(host_).members(BROCH_COST);
      return names.size() == 1 ? names[0] : "";
    } catch (const broch::Error&) {
      return "";  // the trainer has no towers
    }
  }
  // Whether to draw: when it is time, and at the end of an epoch, because that bar stays.
  // A wrapper such as enable-callback-if may leave before_epoch out; then there is no bar.
  bool advance() {
    if (!bar_) return false;
    const int64_t done = run_.progress().local_step + 1;
    return bar_->advance(done) || done == run_.progress().steps_per_epoch;
  }
  std::string text_of(broch_run run) const {
    std::string text;
    const auto add = [&text](const std::string& label, double value) {
      char number[32];
      std::snprintf(number, sizeof number, "%.4g", value);
      text += (text.empty() ? "" : " ") + label + "=" + number;
    };
    for (const Shown& one : shown_) add(one.label, run_.scalar(run, one.fetch).value_or(NAN));
    for (const std::string& name : metrics_)
      if (const auto last = reported_.latest(name)) add(name, last->value);
    return text;
  }

  broch::Host host_;
  broch::Run run_;
  broch::Metrics reported_;
  std::optional<broch::ProgressBar> bar_;
  std::vector<std::string> names_, metrics_;
  std::vector<Shown> shown_;
  bool is_first_run_ = true;
};

}  // namespace

BROCH_CALLBACK(ProgressBar, "broch.callback.progress-bar", "1.0.0",
               "Shows the progress within each epoch, with the cost and other values of the model.",
               Options::schema, broch::produces(), broch::consumes("{metrics}"),
               broch::run_on("all"))
