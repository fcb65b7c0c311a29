// model_saver.cpp: saves a checkpoint on each trigger and removes old ones. tensorpack:
// `ModelSaver`.
//
// With var_collections it saves weights alone, in a folder of their own.
// If the disk is full or the folder cannot be written, this checkpoint is lost, but the run
// continues.
#include <algorithm>
#include <broch/broch.hpp>
#include <chrono>
#include <filesystem>

#include "checkpoint_name.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  uint32_t max_to_keep;
  double keep_checkpoint_every_n_hours;
  std::optional<uint32_t> keep_checkpoint_every_n_steps, keep_checkpoint_every_n_epochs;
  std::optional<double> every_minutes;
  std::optional<std::string> checkpoint_dir, link;
  bool save_at_end;
  std::vector<std::string> var_collections;

  static constexpr auto schema = broch::options(
      broch::option("max_to_keep", &Options::max_to_keep,
                    "Number of newest checkpoints to keep; 0: all.")
          .minimum(0)
          .maximum(2147483647)
          .by_default(10)
          .is_mutable(),
      broch::option("keep_checkpoint_every_n_hours", &Options::keep_checkpoint_every_n_hours,
                    "Also keep one checkpoint for ever per this number of hours; 0: none.")
          .minimum(0)
          .by_default(0.5)
          .unit("hours")
          .is_mutable(),
      broch::option("keep_checkpoint_every_n_steps", &Options::keep_checkpoint_every_n_steps,
                    "Also keep the first checkpoint of every so many steps for ever; that of the "
                    "first ones is not kept.")
          .minimum(1)
          .is_mutable(),
      broch::option(
          "keep_checkpoint_every_n_epochs", &Options::keep_checkpoint_every_n_epochs,
          "Also keep the first checkpoint of every so many epochs for ever, in place of steps.")
          .minimum(1)
          .is_mutable(),
      broch::option("every_minutes", &Options::every_minutes,
                    "Also save after the step in which so many minutes have passed since the last "
                    "checkpoint of this callback, or since the start.")
          .above(0)
          .unit("minutes")
          .is_mutable(),
      broch::option("link", &Options::link,
                    "Name of a symbolic link to the newest checkpoint, such as last; null: none.")
          .pattern("^[^/.][^/]*$"),
      broch::option("save_at_end", &Options::save_at_end,
                    "Also save when the training has ended without a failure. Without it, a stop "
                    "within an epoch loses what came after the last checkpoint.")
          .by_default(false),
      broch::option("checkpoint_dir", &Options::checkpoint_dir,
                    "Folder for checkpoints; null: the log folder.")
          .is_path(),
      broch::option("var_collections", &Options::var_collections,
                    "Save only these variables: trainable, model (such as running statistics). A "
                    "training cannot be resumed from them, so they need a checkpoint_dir. []: "
                    "save everything.")
          .one_of("trainable", "model")
          .by_default());
};

class ModelSaver final : public broch::Callback, public broch::Adjustable {
 public:
  ModelSaver(const broch::Host& host, const Options& options)
      : host_(host), run_(host), checkpoints_(host, options.checkpoint_dir), link_(options.link) {
    require_one_period(options);
    if (link_) broch::callbacks::refuse_checkpoint_name("/link", *link_, *link_);
    for (const std::string& name : options.var_collections)
      flags_ |= name == "model" ? BROCH_VARIABLE_MODEL : BROCH_VARIABLE_TRAINABLE;
  }

  void setup_graph() override {
    if (flags_) checkpoints_.select(flags_);
    options_changed("");
  }
  void options_changed(const std::string&) override {
    const Options now = broch::read<Options>(host_);
    require_one_period(now);
    checkpoints_.retain(now.max_to_keep, now.keep_checkpoint_every_n_hours);
    every_minutes_ = now.every_minutes;
    if (trains_) retain_steps(now);
  }

  void before_train() override {
    trains_ = true;
    retain_steps(broch::read<Options>(host_));
    saved_at_ = Clock::now();
  }
  void before_epoch() override {
    const broch_progress& now = run_.progress();
    if (now.steps_per_epoch > 0)
      epoch_began_ = Place{now.global_step, (now.local_step + 1) % now.steps_per_epoch};
  }
  void trigger_step() override {
    count_runs();
    if (every_minutes_ && minutes_since(saved_at_) >= *every_minutes_) trigger();
  }
  void trigger() override {
    count_runs();
    const auto path = checkpoints_.save();
    saved_at_ = Clock::now();
    if (!path) return;
    host_.info("Model saved to " + *path + ".");
    if (link_) point_to(*path);
  }
  // A signal and broch ctl save, too, and older checkpoints are deleted then.
  void after_train() override {
    if (!link_) return;
    try {
      const auto newest = checkpoints_.latest();
      if (newest && std::filesystem::path(newest->path) != linked_) point_to(newest->path);
    } catch (const broch::Error& error) {
      if (error.status() != BROCH_E_DATA_LOSS) throw;  // it could not be saved
    }
  }

 private:
  static void require_one_period(const Options& options) {
    if (options.keep_checkpoint_every_n_steps && options.keep_checkpoint_every_n_epochs)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/keep_checkpoint_every_n_epochs: found beside "
                         "keep_checkpoint_every_n_steps, expected one of the two");
  }
  // How many hooked runs a step has is known after the first one. Checkpoints are counted by
  // global_step, which counts these.
  void count_runs() {
    const broch_progress& now = run_.progress();
    if (runs_per_step_ > 0 || !epoch_began_) return;
    const int64_t runs = now.global_step - epoch_began_->global_step;
    const int64_t steps = now.local_step + 1 - epoch_began_->steps;
    if (runs <= 0 || steps <= 0) return;
    runs_per_step_ = std::max<int64_t>(1, runs / steps);
    retain_steps(broch::read<Options>(host_));
  }
  // The length of an epoch is known from before_train on.
  void retain_steps(const Options& options) {
    const auto length =
        uint64_t(run_.progress().steps_per_epoch * std::max<int64_t>(1, runs_per_step_));
    const uint64_t steps = options.keep_checkpoint_every_n_steps.value_or(0) +
                           options.keep_checkpoint_every_n_epochs.value_or(0) * length;
    if (steps != kept_steps_) checkpoints_.retain_steps(steps);
    kept_steps_ = steps;
  }
  static double minutes_since(Clock::time_point time) {
    return std::chrono::duration<double>(Clock::now() - time).count() / 60;
  }
  // Renames a new link over the old one, so that there is one at any time.
  void point_to(const std::filesystem::path& checkpoint) {
    linked_ = checkpoint;
    const std::filesystem::path folder = checkpoint.parent_path();
    const std::filesystem::path link = folder / (*link_ + ".safetensors"),
                                fresh = folder / ("." + *link_ + ".new");
    std::error_code error;
    std::filesystem::remove(fresh, error);
    std::filesystem::create_symlink(checkpoint.filename(), fresh, error);
    if (!error) std::filesystem::rename(fresh, link, error);
    if (error)
      host_.error("no link " + link.string() + " to the newest checkpoint: " + error.message());
  }

  broch::Host host_;
  broch::Run run_;
  broch::Checkpoints checkpoints_;
  uint32_t flags_ = 0;
  bool trains_ = false;
  struct Place {
    int64_t global_step, steps;  // steps: those of the epoch that were done before
  };
  std::optional<Place> epoch_began_;  // in this run
  int64_t runs_per_step_ = 0;         // 0: not known yet
  uint64_t kept_steps_ = 0;
  std::optional<std::string> link_;
  std::filesystem::path linked_;  // by this run
  std::optional<double> every_minutes_;
  Clock::time_point saved_at_;
};

}  // namespace

BROCH_CALLBACK(ModelSaver, "broch.callback.model-saver", "1.0.0",
               "Saves a checkpoint on each trigger and removes old ones.", Options::schema,
               broch::produces(), broch::triggers_at_end("save_at_end"),
               broch::requires_ext(BROCH_EXT_CHECKPOINT, BROCH_EXT_PROGRESS))
