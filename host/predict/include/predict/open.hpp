// open.hpp: the trained model that the command line names: of a run, of a manifest, or in a bundle.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "predict/generate.hpp"
#include "predict/model.hpp"
#include "predict/preprocessing.hpp"
#include "session/ui.hpp"

namespace broch::predict {

// A model with what it stands on.
struct Opened {
  std::unique_ptr<session::Setup> setup;  // nullptr: a bundle
  std::unique_ptr<session::Run> run;
  std::unique_ptr<Model> model;
  Preprocessing preprocessing;
  std::vector<std::string> classes;  // their names, if the data of the training say them
  std::string identity;              // of the model and its weights
  int64_t context = 0;  // the option of a language model; 0: it has none, or it is not known
  // What has taken the signals of this process; nullptr: nothing.
  plan::Interrupt* interrupt() const { return run ? run->trainer().parts().interrupt : nullptr; }
};

// Under this key a bundle says how many tokens a language model sees at most.
inline constexpr const char* kContext = "context";
// The option "context" of the model; 0: it has none.
int64_t context_of(const session::Setup& setup);

// options.manifest: also the log folder of a run, or a bundle. checkpoint: as
// runs::checkpoint_to_use has it. Throws base::Error.
Opened open_model(const session::SetupOptions& options, const std::string& checkpoint,
                  const Names& names, session::Ui& ui);

// The words of a language model: those with which the dataflow of its data makes tokens. No value:
// it has none. Throws base::Error (data).
std::optional<WordList> words_of(const Opened& opened);

}  // namespace broch::predict
