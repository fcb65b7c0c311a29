// predict.hpp: the outputs of a model for all points of a dataflow, in order, in a file.
#pragma once
#include <string>
#include <vector>

#include "base/error.hpp"
#include "predict/model.hpp"
#include "predict/ranking.hpp"
#include "predict/source.hpp"
#include "session/ui.hpp"

namespace broch::predict {

struct Options {
  std::filesystem::path output;          // its ending chooses the format
  int64_t batch_size = 32;               // of points that are single samples
  int64_t limit = 0;                     // samples; 0: all
  bool replace = false;                  // an existing file
  Ranking ranking{};                     // in place of the outputs
  plan::Interrupt* interrupt = nullptr;  // has taken the signals; nullptr: nothing has
  std::string identity;                  // what the model is; another one does not continue
};

struct Predicted {
  std::vector<std::filesystem::path> files;
  int64_t samples = 0, continued = 0;  // those that were there from before
  double seconds = 0;
  base::Exit interrupted = base::Exit::ok;  // by a signal; then there are no files yet
};

// The file appears when it is complete. What was computed before the process ended is kept in a
// folder beside it, and the next call with the same model, data and options goes on there. Handles
// signals meanwhile. Throws base::Error.
Predicted predict(Model& model, Source& source, const Options& options, session::Ui& ui);

}  // namespace broch::predict
