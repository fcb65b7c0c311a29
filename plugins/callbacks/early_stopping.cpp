// early_stopping.cpp: ends training when a metric has not improved for a while. Source:
// https://github.com/tensorpack/tensorpack/issues/1365.
#include <broch/broch.hpp>
#include <cmath>
#include <cstring>

namespace {

class EarlyStopping final : public broch::Callback,
                            public broch::Stateful,
                            public broch::Adjustable {
 public:
  static constexpr uint32_t kStateVersion = 1;

  explicit EarlyStopping(const broch::Host& host) : host_(host), metrics_(host) {
    const broch::Config config(host);
    stat_ = config.string("/monitor_stat");
    max_ = config.string("/mode") == "max";
    options_changed("");
  }

  void options_changed(const std::string&) override {
    const broch::Config config(host_);
    patience_ = config.integer("/patience");
    min_delta_ = config.number("/min_delta");
  }

  void trigger() override {
    const auto latest = metrics_.latest(stat_);
    if (!latest || latest->global_step == state_.step) return;  // no new value
    state_.step = latest->global_step;
    const double gain = max_ ? latest->value - state_.best : state_.best - latest->value;
    const bool is_first = !state_.has_best && !std::isnan(latest->value);
    if (is_first || gain > min_delta_) {
      state_.best = latest->value;
      state_.has_best = 1;
      state_.waited = 0;
    } else if (++state_.waited >= patience_) {
      throw broch::StopTraining(stat_ + " has not improved on " + std::to_string(state_.best) +
                                " for " + std::to_string(patience_) +
                                (patience_ == 1 ? " observation" : " observations"));
    }
  }

  std::string save_state() override {
    return std::string(reinterpret_cast<const char*>(&state_), sizeof state_);
  }
  void load_state(uint32_t, const std::string& bytes) override {
    if (bytes.size() != sizeof state_)
      throw broch::Error(BROCH_E_DATA_LOSS, "the saved state has " + std::to_string(bytes.size()) +
                                                " bytes, expected " +
                                                std::to_string(sizeof state_));
    std::memcpy(&state_, bytes.data(), sizeof state_);
  }

 private:
  struct State {  // saved as these 32 bytes
    double best = 0;
    int64_t has_best = 0;
    int64_t step = -1;   // of the last observation
    int64_t waited = 0;  // observations without improvement
  };
  broch::Host host_;
  broch::Metrics metrics_;
  std::string stat_;
  int64_t patience_ = 0;
  double min_delta_ = 0;
  bool max_;
  State state_;
};

constexpr broch_component kComponents[] = {
    broch::component<EarlyStopping>("broch.callback.early-stopping", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [{
  "id": "broch.callback.early-stopping", "role": "callback", "version": "1.0.0",
  "summary": "Ends training when a metric has not improved for a while.",
  "produces": [], "consumes": ["{monitor_stat}"],
  "options": {
    "type": "object",
    "properties": {
      "monitor_stat": {"type": "string", "minLength": 1, "description": "The metric to watch."},
      "patience": {"type": "integer", "minimum": 1, "default": 5, "x-broch-mutable": true,
                   "description": "Number of observations without improvement that are tolerated."},
      "min_delta": {"type": "number", "minimum": 0, "default": 0, "x-broch-mutable": true,
                    "description": "Smaller improvements do not count."},
      "mode": {"enum": ["min", "max"], "default": "min", "description": "Whether smaller or larger values are better."}
    },
    "required": ["monitor_stat"],
    "additionalProperties": false
  }}]})")
