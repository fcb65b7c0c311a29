// event_tensors.hpp: what TensorBoard's own plugins show. The messages:
// https://github.com/tensorflow/tensorboard, plugin_data.proto and api.proto of each plugin.
#pragma once
#include <map>
#include <span>
#include <string>
#include <variant>

#include "store/event.hpp"

namespace broch::store {

// A text, shown as Markdown.
EventTensor text_of(const std::string& text);

// A curve of precision over recall. counts: (4, n), row by row: how many samples are true
// positives, false positives, true negatives and false negatives at n thresholds from 0 to 1.
EventTensor pr_curve_of(std::span<const double> counts);

// Hyper-parameters of a run.
using HParam = std::variant<double, bool, std::string>;
// Tag and value that say which ones it has, written when it begins. group: runs of one group are
// shown as one.
EventValue hparams_begin(const std::map<std::string, HParam>& hparams, const std::string& group,
                         double wall_time);
// When it ends.
EventValue hparams_end(bool success, double wall_time);

}  // namespace broch::store
