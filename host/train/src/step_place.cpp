// step_place.cpp: the progress, the points of the towers, and what the executor and the input do.
#include "train/step_place.hpp"

namespace broch::train {

std::string StepPlace::which() const {
  std::string text = "\n  in step " + std::to_string(progress_.local_step + 1) + " of " +
                     std::to_string(progress_.steps_per_epoch) + " of epoch " +
                     std::to_string(progress_.epoch_num);
  const auto add = [&](uint32_t tower, const std::string& points) {
    text += "\n  tower " + std::to_string(tower) + " had " +
            (points.empty() ? "a data point without a cursor" : points);
  };
  if (const auto& taken = executor_.points_of_failed_run()) {
    for (const Executor::TowerPoints& one : *taken) add(one.tower, one.points);
  } else if (input_) {
    for (uint32_t tower = 0; input_->consumed(tower) > 0; ++tower)
      add(tower, input_->consumed_text(tower));
  }
  return text;
}

std::string StepPlace::doing(const abi::Place& main) const {
  const char* const node = executor_.executing();
  return (input_ && input_->waiting() ? "waits for a data point of " + input_->describe()
          : node                      ? "executes a node " + std::string(node)
                                      : "is") +
         (main.text.empty() ? " outside of plugins" : main.text);
}

}  // namespace broch::train
