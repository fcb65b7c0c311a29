// periodic_callback.cpp: lets another callback take part in every k-th step or epoch only.
// tensorpack: `PeriodicCallback`.
//
// All events of a step go by the global_step that it has when it has finished. In tensorpack,
// before_run and after_run go by the one before.
#include "gate.hpp"

namespace {

struct Options {
  broch::ChildCallback callback;
  std::optional<int64_t> every_k_steps, every_k_epochs;

  static constexpr auto schema = broch::options(
      broch::option("callback", &Options::callback, "The callback."),
      broch::option("every_k_steps", &Options::every_k_steps,
                    "Events reach it in steps after which global_step is a multiple of this.")
          .minimum(1),
      broch::option("every_k_epochs", &Options::every_k_epochs,
                    "Events reach it when epoch_num is a multiple of this, and in the last step of "
                    "the training.")
          .minimum(1));
};

class PeriodicCallback final : public broch::callbacks::Gate {
 public:
  PeriodicCallback(const broch::Host& host, const Options& options)
      : Gate(host, options.callback),
        every_k_steps_(options.every_k_steps),
        every_k_epochs_(options.every_k_epochs) {
    if (!every_k_steps_ && !every_k_epochs_)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "found neither every_k_steps nor every_k_epochs, expected at least one");
  }

 private:
  bool is_open() override { return is_open_at(progress().global_step); }
  bool opens_run() override { return is_open_at(progress().global_step + 1); }

  bool is_open_at(int64_t global_step) const {
    const broch_progress& now = progress();
    if (every_k_steps_ && global_step % *every_k_steps_ == 0) return true;
    if (!every_k_epochs_) return false;
    const bool is_last =
        now.epoch_num == now.max_epoch && now.local_step == now.steps_per_epoch - 1;
    return is_last || now.epoch_num % *every_k_epochs_ == 0;
  }

  std::optional<int64_t> every_k_steps_, every_k_epochs_;
};

}  // namespace

BROCH_CALLBACK(PeriodicCallback, "broch.callback.periodic-callback", "1.0.0",
               "Lets another callback take part in every k-th step or epoch only.", Options::schema,
               broch::produces())
