// run_export.cpp: the model of a run as a graph.
#include "base/error.hpp"
#include "base/text.hpp"
#include "session/run.hpp"

namespace broch::session {

capture::Captured Run::capture(const std::string& checkpoint, capture::Wish wish) {
  if (!trainer_->predictors())
    base::fail(base::Exit::manifest, "/model", "no model with a tower function", "one",
               "only such models can be exported");
  tower::Tower& tower = trainer_->predictors()->tower("", 0);
  RestoreOptions options;
  options.quiet = true;
  checkpoints_->restore(checkpoint, options);
  if (wish.outputs.empty()) wish.outputs = {capture::usual_output(tower)};
  if (wish.outputs[0].empty())
    base::fail(base::Exit::usage, tower.describe(), "no published name that is an output", "one",
               "name outputs: " + base::join(tower.published_names(), ", "));
  return capture::capture(tower, wish);
}

}  // namespace broch::session
