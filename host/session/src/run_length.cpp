// run_length.cpp: the number of steps per epoch, and the number of samples per step.
#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "session/run.hpp"

namespace broch::session {

std::optional<int64_t> Run::count_steps() {
  const std::optional<int64_t> all = count_all_steps();
  const std::optional<int64_t> most = setup_.manifest().steps_per_epoch.most;
  return most ? std::min(all.value_or(*most), *most) : all;
}

// From the manifest or, if it does not say it, the size of the input. The latter is not divided by
// the number of towers.
std::optional<int64_t> Run::count_all_steps() {
  const manifest::EpochLength& length = setup_.manifest().steps_per_epoch;
  if (length.steps) return length.steps;
  if (length.samples) {
    const std::optional<int64_t> batch = samples_of_point();
    const int64_t towers = std::max<int64_t>(
        1, trainer_->towers() ? int64_t(trainer_->towers()->training().size()) : 1);
    if (!batch || *batch == 0)
      throw base::Error(base::Exit::manifest,
                        base::Diagnostic{"/steps_per_epoch", "samples, but the batch is not known",
                                         "a model whose first input has a fixed first dimension",
                                         "give a number of steps"});
    return std::max<int64_t>(1, *length.samples / (*batch * towers * options_.world));
  }
  if (!trainer_->input()) return std::nullopt;
  const std::optional<int64_t> size = trainer_->input()->size();
  if (size && *size == 0)
    throw base::Error(base::Exit::data,
                      base::Diagnostic{abi::describe(trainer_->input()->instance()),
                                       "its size is 0: no data point in an epoch", "at least one",
                                       "use a smaller batch_size, more data, or set "
                                       "steps_per_epoch"});
  return size;
}

// The batch size. Before training, it is only known if the model's signature fixes it.
std::optional<int64_t> Run::samples_of_point() {
  if (!trainer_->towers() || trainer_->towers()->signature().empty()) return std::nullopt;
  const abi::InputSpec& first = trainer_->towers()->signature().front();
  if (first.shape.empty() || first.shape[0] < 0) return std::nullopt;
  return first.shape[0];
}

train::LoopConfig Run::loop_config() {
  const manifest::Manifest& manifest = setup_.manifest();
  const std::optional<int64_t> steps = count_steps();
  if (!steps)
    throw base::Error(
        base::Exit::manifest,
        base::Diagnostic{"/steps_per_epoch", "null, and the input does not know its size",
                         "a number of steps",
                         "set steps_per_epoch, for example steps_per_epoch=100"});
  log_batch(*steps);
  return {*steps, manifest.starting_epoch, manifest.max_epoch};
}

void Run::log_batch(int64_t steps) {
  const size_t towers = trainer_->towers() ? trainer_->towers()->training().size() : 0;
  if (towers == 0) return;
  const bool steps_are_runs = !trainer_->steps_by_plugin();
  std::string text = std::string("each ") + (steps_are_runs ? "step" : "run of the plan") +
                     " takes " + base::counted(int64_t(towers), "data point") +
                     (towers == 1 ? "" : ", one per tower");
  if (steps_are_runs) {
    text += ": " + base::counted(steps * int64_t(towers), "data point") + " per epoch";
    if (const std::optional<int64_t> batch = samples_of_point())
      text += ", " + base::counted(*batch * steps * int64_t(towers), "sample");
  }
  if (options_.world > 1) text += ", on each of " + std::to_string(options_.world) + " ranks";
  base::info(text);
}

}  // namespace broch::session
