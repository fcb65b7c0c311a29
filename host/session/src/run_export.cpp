// run_export.cpp: the predictors of a trained model.
#include "base/error.hpp"
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

}  // namespace broch::session
