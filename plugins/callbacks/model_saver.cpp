// model_saver.cpp: saves a checkpoint on each trigger and removes old ones. tensorpack:
// `ModelSaver`.
//
// If the disk is full or the folder cannot be written, this checkpoint is lost, but the run
// continues.
#include <broch/broch.hpp>

namespace {

struct Options {
  uint32_t max_to_keep;
  double keep_checkpoint_every_n_hours;
  std::optional<std::string> checkpoint_dir;

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
      broch::option("checkpoint_dir", &Options::checkpoint_dir,
                    "Folder for checkpoints; null: the log folder.")
          .is_path());
};

class ModelSaver final : public broch::Callback, public broch::Adjustable {
 public:
  ModelSaver(const broch::Host& host, const Options& options)
      : host_(host), checkpoints_(host, options.checkpoint_dir) {}

  void setup_graph() override { options_changed(""); }
  void options_changed(const std::string&) override {
    const Options now = broch::read<Options>(host_);
    checkpoints_.retain(now.max_to_keep, now.keep_checkpoint_every_n_hours);
  }

  void trigger() override {
    if (const auto path = checkpoints_.save()) host_.info("Model saved to " + *path + ".");
  }

 private:
  broch::Host host_;
  broch::Checkpoints checkpoints_;
};

}  // namespace

BROCH_CALLBACK(ModelSaver, "broch.callback.model-saver", "1.0.0",
               "Saves a checkpoint on each trigger and removes old ones.", Options::schema,
               broch::produces(), broch::requires_ext(BROCH_EXT_CHECKPOINT))
