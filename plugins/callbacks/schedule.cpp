// schedule.cpp: sets a hyper-parameter by a list of phases, one after the other. PyTorch:
// torch.optim.lr_scheduler, with `SequentialLR` for several phases.
//
// Point p is the time after epoch (or step) p; point 0 is before training. A phase of length L that
// begins at point p has the points from p to p + L - 1; its value at p + L is where the next one
// begins, or what is kept. A last phase without a length ends with the training.
#include "plain_state.hpp"
#include "point_setter.hpp"
#include "schedule/repeating.hpp"

namespace broch::callbacks {
namespace {

using AllPhases = std::tuple<Constant, Linear, Cosine, Polynomial, Exponential, Inverse, Step,
                             MultiStep, OneCycle, Cyclic, CosineRestarts>;

// The members of the schema of the option "phases".
struct PhasesSchema {
  static constexpr void write(glue::TextWriter& w) {
    w.member("type", "array");
    w.member("minItems", 1);
    w.key("items");
    w.raw(R"({"oneOf": [)");
    AllTagged<AllPhases>::write(w, "shape");
    w.raw("]}");
  }
};
constexpr auto kPhasesSchema = glue::constant_text<PhasesSchema>();

struct Options : PointOptions {
  JsonText phases;

  static constexpr auto schema =
      options(PointOptions::schema,
              option("phases", &Options::phases,
                     "Parts of the schedule, one after the other: {\"shape\": \"cosine\", ...}.")
                  .schema(kPhasesSchema.chars));
};

class Phases {
 public:
  Phases(const Config& config, const std::string& at) {
    for (uint64_t i = 0; i < config.size(at); ++i) {
      const std::string pointer = at + "/" + std::to_string(i);
      auto phase = AllTagged<AllPhases>::read<Phase>(config, pointer, "shape");
      if (i > 0) append_to(*list_.back(), *phase, at + "/" + std::to_string(i - 1));
      if (!phase->knows_start())
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    pointer + "/from: null, and there is no phase before, expected a number");
      list_.push_back(std::move(phase));
    }
    takes_rest_ = list_.back()->length == 0;
  }

  // Where the last one is, if it has no length; "": it has one.
  std::string rest() const {
    return takes_rest_ ? "/phases/" + std::to_string(list_.size() - 1) : "";
  }
  // Sets the point at which the training ends.
  void end_at(int64_t point) {
    if (!takes_rest_) return;
    for (size_t i = 0; i + 1 < list_.size(); ++i) point -= list_[i]->length;
    list_.back()->length = std::max<int64_t>(point, 1);
  }
  double at(int64_t point) const {
    size_t i = 0;
    for (; i + 1 < list_.size() && point >= list_[i]->length; ++i) point -= list_[i]->length;
    const Phase& phase = *list_[i];
    if (point >= phase.length && !takes_rest_) return phase.last();
    return phase.at(double(std::min(point, phase.length)));
  }

 private:
  static void append_to(const Phase& before, Phase& phase, const std::string& pointer) {
    if (before.length == 0)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  pointer + ": no length, and another phase follows, expected a number of points");
    phase.follow(before.last());
  }

  std::vector<std::unique_ptr<Phase>> list_;
  bool takes_rest_ = false;  // the last one
};

class Schedule final : public PointSetter, public Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  Schedule(const Host& host, const Options& options)
      : PointSetter(host, options), phases_(Config(host), "/phases") {}

  void before_train() override {
    PointSetter::before_train();
    if (run().progress().resumed && state_.point >= 0) follow_length();
  }
  void trigger() override {
    require_known_end();
    phases_.end_at(end());
    state_ = {point(), end(), run().progress().max_epoch};
    PointSetter::trigger();
  }
  std::optional<double> value_at(int64_t point) const override { return phases_.at(point); }

  std::string save_state() override { return plain_bytes(state_); }
  void load_state(uint32_t, const std::string& bytes) override { read_plain(bytes, state_); }

 private:
  struct State {         // saved as these 24 bytes
    int64_t point = -1;  // at which the value was set last; -1: none
    int64_t end = 0;     // of the training, as a point, by then
    int64_t max_epoch = 0;
  };

  // If the training has become longer or shorter, its rest has another value at the last point.
  void follow_length() {
    const broch_progress& now = run().progress();
    if (phases_.rest().empty() || now.max_epoch == state_.max_epoch) return;
    const int64_t points = is_step_based() ? now.steps_per_epoch : 1;
    state_.end += (now.max_epoch - state_.max_epoch) * points;
    state_.max_epoch = now.max_epoch;
    phases_.end_at(state_.end);
    set(phases_.at(state_.point));
  }
  // The rest of the steps is known only if global_step counts each of them once: it counts runs.
  void require_known_end() {
    if (phases_.rest().empty() || !is_step_based() || is_before_training()) return;
    const broch_progress& now = run().progress();
    const int64_t steps = now.epoch_num * now.steps_per_epoch + now.local_step;
    const int64_t ahead = now.global_step - steps;
    if (ahead_.value_or(ahead) != ahead)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  phases_.rest() +
                      ": no length, and a step of this trainer counts more or less "
                      "than one in global_step, expected a number of points");
    ahead_ = ahead;
  }

  Phases phases_;
  State state_;
  std::optional<int64_t> ahead_;  // of the steps is global_step, at each trigger
};

}  // namespace
}  // namespace broch::callbacks

BROCH_CALLBACK(broch::callbacks::Schedule, "broch.callback.schedule", "1.0.0",
               "Sets a hyper-parameter by formulas: warm-up, decay, cycles.",
               broch::callbacks::Options::schema, broch::produces("{param}"), broch::run_on("all"))
