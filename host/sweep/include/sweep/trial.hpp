// trial.hpp: one trial of a sweep: a training with parameters of its own.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sweep/spec.hpp"

namespace broch::sweep {

struct Trial {
  int64_t number = 0;  // from 1
  Value parameters{Value::Object{}};
  Value id;  // that the program of a command gave; null: there is none

  bool started = false;
  std::optional<int> exit;         // of the training, once it has ended for good
  double seconds = 0;              // of all its starts
  std::optional<int64_t> stopped;  // the program of a command has ended it after this epoch

  // Read from the log folder.
  std::map<int64_t, double> values;  // of the metric, by epoch
  int64_t epochs = 0;                // the last one that is recorded
  std::string why;                   // what is wrong with the records; "": nothing

  bool over() const { return exit || stopped; }
  // The last epoch that is over: the newest recorded one if the metric has a value in it, else the
  // one before. So the metric must be reported once an epoch, at its end.
  int64_t last_whole_epoch() const { return values.contains(epochs) ? epochs : epochs - 1; }
  // The value that counts, of the epochs up to this one; nothing without any.
  std::optional<double> value(const Spec& spec, int64_t until = INT64_MAX) const;
  std::string log_dir(const Spec& spec) const;
  std::string text_file(const Spec& spec) const;  // what the training prints
};

// Reads values and epochs from the log folder, if there are any.
void read_progress(Trial& trial, const Spec& spec);

// "optimizer.with.learning_rate=0.01, model.with.width=8".
std::string describe(const Value& parameters);

}  // namespace broch::sweep
