// checkpoints.hpp: a run as a checkpoint and back; and broch.checkpoint/1.
//
// A checkpoint holds all variables, the counters and the place to continue at, the cursors of the
// input, the state of every instance that answers broch.state/1 and the history of the metrics.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "abi/instance.hpp"
#include "base/clock.hpp"
#include "base/scratch_folder.hpp"
#include "plan/cost_averages.hpp"
#include "plan/input.hpp"
#include "runtime/variables.hpp"
#include "session/changes.hpp"
#include "store/checkpoint_list.hpp"
#include "tower/tower_runner.hpp"
#include "train/loop.hpp"
#include "train/monitors.hpp"

namespace broch::session {

// What of a run goes into a checkpoint; everything may still be missing while it is set up.
struct RunState {
  runtime::Backend* backend = nullptr;
  runtime::VariableStore* variables = nullptr;
  runtime::HyperParams* hypers = nullptr;
  Changes* changes = nullptr;
  plan::Input* input = nullptr;  // nullptr: the run has none
  train::Monitors* monitors = nullptr;
  plan::CostAverages* costs = nullptr;
  const broch_progress* progress = nullptr;
  std::function<void()> before_save;          // brings variables up to date; may be empty
  std::function<train::Position()> position;  // what a checkpoint made now is resumed at
  std::vector<abi::Instance*> instances;      // with their children
  std::function<std::vector<tower::TowerRunner*>()> runners;  // of everything that may be replayed
  int64_t towers = 0;                                         // that train
  int64_t ranks = 1;
  std::map<std::string, std::string> fingerprint;  // versions and settings that decide bits
};

// What a resumed run starts from.
struct Resumed {
  train::Position position;
  plan::Cursors cursors;
};

// What of a file is restored: all of it, unless told otherwise.
struct RestoreOptions {
  std::string prefix;
  std::vector<std::string> ignore;            // names in the file
  std::vector<std::string> include, exclude;  // regular expressions of whole names in the file
  bool relaxed = false;
  std::string place = "session_init";  // for messages
  bool quiet = false;                  // only what is missing is told
};

class Checkpoints {
 public:
  explicit Checkpoints(std::string default_folder, const base::Clock& clock = base::system_clock());
  // From now on what would be written to a folder is written to one that is removed with this; the
  // folder itself has to be one that could be written to. default_folder: as of a run that is kept.
  void rehearse(const std::string& default_folder);
  void provide(RunState run) { run_ = std::move(run); }
  bool provided() const { return run_.variables; }

  void retain(const std::string& folder, store::KeepPolicy policy);
  // Throws base::Error (data) with the old files intact.
  std::filesystem::path save(const std::string& folder);
  std::filesystem::path save() { return save(""); }
  // The same for a component of the run. A disk that is full costs a checkpoint, not the run: it is
  // told each time, and kept in mind until a checkpoint can be saved in that folder again.
  std::filesystem::path save_for(const abi::Instance& instance, const std::string& folder);
  void copy_for(const abi::Instance& instance, const std::filesystem::path& source,
                const std::string& name);
  // Why the last checkpoint that was wanted in a folder is not there; "" when it is. folder: of
  // folder_or_default.
  std::string missing_in(const std::string& folder) const;
  // Tries once more to save and to copy what is missing. At the end, between two steps.
  void try_again();
  // Says what is still missing; whether nothing is.
  bool complete() const;

  // Everything, before before_train. The history of metrics is put back, states are loaded.
  // Differences of the fingerprint are warned about. Throws base::Error (checkpoint), also for
  // another number of towers.
  Resumed resume(const std::filesystem::path& path);
  // GLOBAL variables only, as SaverRestore: the step counter and hyper-parameters among them. Tells
  // what was loaded, what was not and why. Throws base::Error (checkpoint; manifest for patterns).
  void restore(const std::filesystem::path& path, const RestoreOptions& options);

  std::string folder_or_default(const char* folder);

 private:
  // Of a checkpoint, beside it, under another name.
  void copy(const std::filesystem::path& path, const std::string& name);
  std::string rehearsed(const std::string& folder);
  store::CheckpointList& list(const std::string& folder);
  void load_variables(const store::Checkpoint& checkpoint, const std::string& place);
  void load_states(const store::Checkpoint& checkpoint);
  static void require_count(const store::Checkpoint& checkpoint, const std::string& what,
                            int64_t count, const std::string& place);
  bool has_fingerprint_of(const store::Checkpoint& checkpoint) const;

  std::string default_folder_;
  const base::Clock& clock_;
  RunState run_;
  std::optional<base::ScratchFolder> scratch_;    // of a rehearsal
  std::map<std::string, std::string> stand_ins_;  // in it, by folder
  std::map<std::string, store::KeepPolicy> policies_;
  std::map<std::string, std::unique_ptr<store::CheckpointList>> lists_;
  std::map<std::string, std::string> unsaved_;  // by folder: why
  struct Uncopied {
    std::filesystem::path source;
    std::string name, why;
  };
  std::map<std::filesystem::path, Uncopied> uncopied_;  // by the file that is missing
};

// A checkpoint file, from a file, a folder or its text file "checkpoint". Throws base::Error
// (checkpoint) when there is none.
std::filesystem::path find_checkpoint(const std::filesystem::path& path);
// Whether there is such a folder and it holds one.
bool has_checkpoint(const std::filesystem::path& folder);
// "model-2700.safetensors" to 2700; -1 for other names.
int64_t step_of(const std::filesystem::path& checkpoint);

// Serves broch.checkpoint/1. REQUIRES: the context provides Checkpoints.
void extend_with_checkpoints(abi::Context& context);

}  // namespace broch::session
