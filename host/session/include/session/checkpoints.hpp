// checkpoints.hpp: saves a run as a checkpoint and restores it; serves broch.checkpoint/1.
//
// A checkpoint holds all variables, the counters and the position to continue at, the cursors of
// the input on all ranks, the state of every instance that implements broch.state/1, and the
// history of metrics.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/instance.hpp"
#include "base/clock.hpp"
#include "base/scratch_folder.hpp"
#include "log_folder/folder_lock.hpp"
#include "monitors/monitors.hpp"
#include "plan/cost_averages.hpp"
#include "plan/input.hpp"
#include "replay/tower_runner.hpp"
#include "runtime/variables.hpp"
#include "session/changes.hpp"
#include "store/checkpoint_list.hpp"
#include "train/loop.hpp"
#include "train/slot_names.hpp"
#include "weights/rule_texts.hpp"

namespace broch::session {

// The parts of a run that go into a checkpoint.
struct RunState {
  runtime::Backend* backend = nullptr;
  runtime::VariableStore* variables = nullptr;
  runtime::HyperParams* hypers = nullptr;
  Changes* changes = nullptr;
  plan::Input* input = nullptr;  // nullptr if the run has no input
  // Of the input: by rank, or one element for all ranks.
  std::function<std::vector<plan::Cursors>()> cursors;
  monitors::Monitors* monitors = nullptr;
  plan::CostAverages* costs = nullptr;
  const broch_progress* progress = nullptr;
  std::function<void()> before_save;  // updates the variables; may be empty
  // Called before the first checkpoint in a folder. Returns whether another run has saved there
  // last. May be empty.
  std::function<bool(const std::string& folder)> before_first_in;
  // Where a run resumed from a checkpoint made now would continue.
  std::function<train::Position()> position;
  std::vector<abi::Instance*> instances;                       // including child instances
  train::Listed listed;                                        // its callbacks
  std::map<const abi::Instance*, std::string> former_names;    // see Instances
  std::function<std::vector<replay::TowerRunner*>()> runners;  // of everything that may be replayed
  int64_t towers = 0;                                          // number of training towers
  int64_t ranks = 1;
  int64_t servers = 0;
  // Versions and settings that affect the bits of results.
  std::map<std::string, std::string> fingerprint;
};

// What a resumed run starts from.
struct Resumed {
  train::Position position;
  std::vector<plan::Cursors> cursors;  // by rank, or one element for all ranks
};

// Which weights of a file to restore, and how. By default, everything.
struct RestoreOptions {
  std::string prefix;
  std::string key;  // see weights::open
  weights::RuleTexts rules;
  // What must agree: names, shapes and types; only shapes and types, with a warning for names; or
  // nothing: what does not fit is reshaped, rounded, or left out with a warning.
  enum class Strict { all, shapes, none } strict = Strict::shapes;
  bool convert = false;   // also to floats with fewer digits
  bool quiet = false;     // log only what is missing
  bool complete = false;  // each weight of the model must be in the file
};

class Checkpoints {
 public:
  explicit Checkpoints(std::string default_folder, const base::Clock& clock = base::system_clock());
  // Rehearsal: from now on, checkpoints are written to a temporary folder that is removed with this
  // object. The folder that is asked for must still be writable. default_folder: the one that the
  // run would use if it were not a rehearsal.
  void rehearse(const std::string& default_folder);
  void provide(RunState run) { run_ = std::move(run); }
  bool provided() const { return run_.variables; }

  // Sets what the policy says of numbers and hours. Warns if another instance said something else.
  // Where nobody says anything, all checkpoints are kept.
  void retain(const abi::Instance& instance, const std::string& folder, store::KeepPolicy policy);
  // Sets keep_every_n_steps of the policy.
  void retain_steps(const std::string& folder, int64_t n);
  // Checkpoints of this folder contain only variables with one of these flags, and neither LOCAL
  // ones nor states. Throws base::Error (manifest) for the log folder.
  void select(const std::string& folder, uint32_t flags);
  // Throws base::Error (data) and leaves the old files intact.
  std::filesystem::path save(const std::string& folder);
  std::filesystem::path save() { return save(""); }
  // save and copy for a component. A full disk must not end the run: each failure is logged and
  // thrown as base::Error (data), and remembered until a checkpoint can be saved in that folder
  // again. Warns if two instances copy to one name.
  std::filesystem::path save_for(const abi::Instance& instance, const std::string& folder);
  void copy_for(const abi::Instance& instance, const std::filesystem::path& source,
                const std::string& name);
  // Why the last checkpoint that was to be saved in this folder is missing, or "". folder: from
  // folder_or_default.
  std::string missing_in(const std::string& folder) const;
  struct Newest {
    std::filesystem::path path;
    int64_t global_step;
  };
  // The newest checkpoint in a folder, for a component. A run that goes back to an older one in its
  // folder has that one until it saves there. folder: from folder_or_default.
  std::optional<Newest> newest_in(const std::string& folder) const;
  // Whether the last checkpoint that was to be saved in a folder is missing.
  bool has_unsaved() const { return !unsaved_.empty(); }
  // Tries once more to save and copy what is missing. Called at the end of a run, between steps.
  void try_again();
  // Logs what is still missing, and returns whether something is.
  bool tell_missing() const;

  // Restores everything; called before before_train. Restores the history of metrics, loads the
  // states of instances and warns about differences of the fingerprint. Throws base::Error
  // (checkpoint), also if the number of towers or ranks differs.
  Resumed resume(const std::filesystem::path& path);
  // Begins the log folder of a branch with a copy of its checkpoint. Warns if an earlier run has
  // checkpoints there. Throws base::Error (data).
  void adopt(const std::filesystem::path& path, const std::string& name);
  // Loads weights of any file that weights::open reads; of a checkpoint the GLOBAL variables, which
  // include the step counter and hyper-parameters. Logs what was loaded, what was not, and why.
  // Throws base::Error (checkpoint, or manifest if an option is wrong) before a variable changes.
  void restore(const std::filesystem::path& path, const RestoreOptions& options);

  // The same text for each spelling of a folder.
  std::string folder_or_default(const char* folder);

 private:
  const std::string& first_spelling(const std::string& folder);
  // Copies a checkpoint to another name in the same folder.
  void copy(const std::filesystem::path& path, const std::string& name);
  std::string rehearsed(const std::string& folder);
  std::filesystem::path save_selected(const std::string& target, uint32_t flags);
  bool was_resumed_in(const std::string& folder) const;
  store::KeepPolicy policy_of(const std::string& target) const;
  void keep(const std::string& target, store::KeepPolicy policy);
  store::CheckpointList& list(const std::string& folder);
  log_folder::FolderLock open_folder(const std::string& folder);

  std::string default_folder_;
  const base::Clock& clock_;
  RunState run_;
  std::optional<base::ScratchFolder> scratch_;  // of a rehearsal
  // Folders inside scratch_, by the folder that was asked for.
  std::map<std::string, std::string> stand_ins_;
  std::map<std::filesystem::path, std::string> spellings_;  // the first one of each folder
  std::map<std::string, store::KeepPolicy> policies_;
  std::map<std::string, const abi::Instance*> retained_by_;  // who set the policy last
  std::map<std::string, uint32_t> selected_;                 // flags of variables by folder
  std::map<std::string, std::unique_ptr<store::CheckpointList>> lists_;
  std::vector<log_folder::FolderLock> locks_;   // of all in lists_ but the log folder
  std::map<std::string, std::string> unsaved_;  // reason by folder
  std::optional<Newest> resumed_;               // until another one is saved in its folder
  struct Uncopied {
    std::filesystem::path source;
    std::string name, why;
  };
  std::map<std::filesystem::path, Uncopied> uncopied_;  // by the path of the missing file
  // Who copied to a path first; null: another one did, too, and that was told.
  std::map<std::filesystem::path, const abi::Instance*> copied_by_;
};

using store::find_checkpoint;
using store::step_of;

// Serves broch.checkpoint/1. REQUIRES: a Checkpoints object is provided by the context.
void extend_with_checkpoints(abi::Context& context);

}  // namespace broch::session
