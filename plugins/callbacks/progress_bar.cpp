// progress_bar.cpp: shows the steps of an epoch and, behind them, values of the model. Seed term:
// ProgressBar (3.17).
#include <broch/broch.hpp>
#include <cmath>
#include <cstdio>

namespace {

class ProgressBar final : public broch::Callback {
 public:
  explicit ProgressBar(const broch::Host& host)
      : host_(host),
        run_(host),
        ui_(host.require<broch_ui>(BROCH_EXT_UI)),
        names_(broch::Config(host).strings("/names")) {}

  void setup_graph() override {
    for (const std::string& name : names_) {
      fetches_.push_back(run_.fetch(name));
      labels_.push_back(name.substr(name.rfind('/') + 1));
    }
    values_.resize(names_.size());
  }
  void before_epoch() override {
    const std::string label = "epoch " + std::to_string(run_.progress().epoch_num);
    host_.check(ui_->begin(host_.c(), label.c_str(), run_.progress().steps_per_epoch));
    is_first_run_ = true;
  }
  // Values are fetched on the first hooked run of each step.
  uint64_t before_run(broch_run, uint64_t fetches) override { return is_first_run_ ? fetches : 0; }
  void after_run(broch_run run) override {
    for (size_t i = 0; i < fetches_.size(); ++i)
      if (const auto value = run_.scalar(run, fetches_[i])) values_[i] = *value;
    is_first_run_ = false;
  }
  void trigger_step() override {
    is_first_run_ = true;
    if (ui_->advance(host_.c(), run_.progress().local_step + 1) && !names_.empty())
      host_.check(ui_->describe(host_.c(), describe().c_str()));
  }
  void after_epoch() override { host_.check(ui_->end(host_.c())); }
  void after_train() override { host_.check(ui_->end(host_.c())); }

 private:
  std::string describe() const {
    std::string text;
    for (size_t i = 0; i < labels_.size(); ++i) {
      char number[32];
      std::snprintf(number, sizeof number, "%.4g", std::isnan(values_[i]) ? NAN : values_[i]);
      text += (i ? " " : "") + labels_[i] + "=" + number;
    }
    return text;
  }

  broch::Host host_;
  broch::Run run_;
  const broch_ui* ui_;
  std::vector<std::string> names_, labels_;
  std::vector<uint32_t> fetches_;
  std::vector<double> values_;
  bool is_first_run_ = true;
};

constexpr broch_component kComponents[] = {
    broch::component<ProgressBar>("broch.callback.progress-bar", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [{
  "id": "broch.callback.progress-bar", "role": "callback", "version": "1.0.0", "run_on": "all",
  "summary": "Shows the steps of an epoch and, behind them, values of the model.",
  "options": {
    "type": "object",
    "properties": {
      "names": {"type": "array", "items": {"type": "string"}, "default": [],
                "description": "Scalars to show."}
    },
    "additionalProperties": false
  }}]})")
