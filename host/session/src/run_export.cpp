// run_export.cpp: the trained model of a run: its predictors, and as a graph.
#include "base/error.hpp"
#include "base/text.hpp"
#include "session/run.hpp"

namespace broch::session {

plan::Predictors& Run::predictors(const std::string& checkpoint) {
  if (!trainer_->predictors())
    base::fail(base::Exit::manifest, "/model", "no model with a tower function", "one",
               "only such models can be exported, or predict");
  trainer_->predictors()->tower("", 0);  // makes the variables
  RestoreOptions options;
  options.quiet = options.complete = true;
  checkpoints_->restore(checkpoint, options);
  return *trainer_->predictors();
}

capture::Captured Run::capture(const std::string& checkpoint, capture::Wish wish) {
  tower::Tower& tower = predictors(checkpoint).tower("", 0);
  if (wish.outputs.empty()) wish.outputs = {capture::usual_output(tower)};
  if (wish.outputs[0].empty())
    base::fail(base::Exit::usage, tower.describe(), "no published name that is an output", "one",
               "name outputs: " + base::join(tower.published_names(), ", "));
  return capture::capture(tower, wish);
}

}  // namespace broch::session
