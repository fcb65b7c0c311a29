// run.hpp: one run of a manifest, built from a Setup: variables, instances, trainer, checkpoints.
//
//   Setup setup(options);
//   Run run(setup, run_options);
//   run.build();            instances and graph
//   run.train();            or report() or evaluate()
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "abi/asked_tables.hpp"
#include "abi/departure.hpp"
#include "abi/seeds.hpp"
#include "base/trace.hpp"
#include "dist/group.hpp"
#include "log_folder/log_dir.hpp"
#include "log_folder/run_record.hpp"
#include "monitors/progress_page.hpp"
#include "session/changes.hpp"
#include "session/checkpoints.hpp"
#include "session/plan_report.hpp"
#include "session/services.hpp"
#include "session/setup.hpp"
#include "session/ui.hpp"
#include "train/trainer.hpp"

namespace broch::session {

struct RunOptions {
  bool null_runtime = false;                  // null backend: counters and names without tensors
  std::shared_ptr<runtime::Backend> backend;  // an open backend to use instead of a new one
  bool writes = true;                         // has a log folder; false for plan and eval
  bool trains = true;  // false: devices of the trainer that this machine lacks are CPU towers
  // False: a metric that a callback waits for may be missing.
  bool awaits_metrics = true;
  // Saves only to a temporary folder, writes nothing else.
  bool rehearses = false;
  std::string log_dir;        // overrides the manifest's, unless ""
  bool session_init = true;   // false: all variables come from elsewhere
  bool all_callbacks = true;  // false: only extra_callbacks, which exist by default
  bool resume = false;        // continue from a checkpoint
  // Which one: a file, or the newest one in a folder. "": in the manifest's log_dir. "auto": the
  // same, or a fresh start if there is no checkpoint.
  std::string resume_path;
  std::string profile;  // file for a profile; "": none
  Ui* ui = nullptr;
  const base::Clock* clock = &base::system_clock();
  // Ranks that train. The ranks of parameter servers follow them.
  uint32_t rank = 0, world = 1;
  dist::Group* group = nullptr;     // of these ranks; nullptr: one rank, or no communication
  dist::Group* everyone = nullptr;  // with parameter servers; nullptr: there is one rank
  bool serves() const { return everyone && everyone->ranks().is_server(); }
};

class Run {
 public:
  Run(const Setup& setup, RunOptions options);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Opens the log folder and the backend, and creates instances, graph and callbacks. Called once.
  // Throws base::Error.
  void build();
  // Creates the model alone, if its metadata says that `broch check` does so. Called instead of
  // build. Throws base::Error.
  void check_model();
  // Runs the main loop and returns the exit code. REQUIRES: build.
  base::Exit train();
  // exit: the exit code that the process is going to return. Writes it into the log folder (only a
  // warning if that fails) and stores it for instances that are not destroyed. Then stops the
  // services and writes the profile.
  void conclude(base::Exit exit);
  // How many epochs, and steps in each. Throws base::Error if the latter is unknown. REQUIRES:
  // build.
  train::LoopConfig loop_config();
  RunState state();             // what a checkpoint contains
  train::MainLoop main_loop();  // where it begins, and what it does on a signal and at its end
  // Runs steps until enough() returns true; it is called before each step. The end of an epoch is
  // not reached, and nothing is written without a log folder. REQUIRES: build.
  base::Exit train_until(std::function<bool()> enough);
  // Runs steps until each program is verified or is known to stay eager, but no more than a fixed
  // number. Returns the number of steps.
  int64_t record_programs();
  // The training towers and how they are executed at present.
  std::vector<PlanReport::TowerLine> tower_lines();
  // The same for what the plans compute besides towers.
  std::vector<PlanReport::UpdateLine> update_lines();
  // Takes a data point without a step. Returns BROCH_OK or BROCH_END. Throws base::Error, with the
  // exit code of the signal if one has ended the wait. REQUIRES: there is an input, and it is
  // started.
  broch_status take_point(uint32_t tower, runtime::Point& point);
  // Takes one data point and describes what a run would do.
  PlanReport report();
  // Loads GLOBAL variables from a checkpoint and triggers every inference runner once, whatever its
  // period. Returns the metrics that they set.
  std::vector<std::pair<std::string, double>> evaluate(const std::string& checkpoint);

  // Loads GLOBAL variables from a checkpoint. Throws base::Error if the model has no tower
  // function. REQUIRES: build.
  plan::Predictors& predictors(const std::string& checkpoint);
  runtime::Backend& backend() { return *backend_; }

  train::Trainer& trainer() { return *trainer_; }
  // REQUIRES: build has got as far as creating instances.
  const Instances& instances() const { return *instances_; }
  // Whether a log folder remains if the process ends with this exit code. If a start fails before
  // training begins, its folder is removed.
  bool leaves_log_dir(base::Exit exit) const;
  // "" if there is none.
  std::string log_dir() const { return log_dir_ ? log_dir_->path() : ""; }
  // Whether a signal has ended all ranks between the same two steps.
  bool interrupted_together() const { return interrupt_.agreed(); }
  // True if instances must not be destroyed: the process must exit immediately.
  bool abandoned() const { return trainer_ && trainer_->abandoned(); }

 private:
  std::vector<replay::TowerRunner*> runners();  // of towers and other operations
  void fill_context();
  void open_backend();
  void make_stores();
  void fill_run_context();
  void open_log_dir();
  bool branches() const;
  void require_agreement(const std::string& found) const;
  void open_log_of_rank() const;
  void provide_all();
  void announce_instances();
  void make_instances();
  void fill_parts();
  void add_callbacks(const std::vector<manifest::Component>& from,
                     std::vector<train::CallbackPart>& to);
  void write_records();
  bool begins_from_own_record() const;
  void write_plugins() const;
  void note_settings();
  bool note_checkpoint_folder(const std::string& folder);
  void add_checkpoint_folder(const std::string& place);
  bool tell_unwritten() const;
  void write_end(base::Exit exit);
  // Takes one data point.
  void report_batch(plan::Input& input, PlanReport& report);
  std::vector<PlanReport::CallbackLine> callback_lines();
  std::optional<int64_t> count_steps();
  std::optional<int64_t> count_all_steps();
  std::optional<int64_t> samples_of_point();
  std::map<std::string, std::string> fingerprint() const;
  void log_batch(int64_t steps);
  std::vector<abi::Instance*> instances_here() const;
  void start_services();
  bool is_listed(const abi::Instance& callback) const;
  bool asks_for_end(const abi::Instance& callback) const;
  void warn_of_end_unheard() const;
  void warn_of_trigger_missing() const;
  void trigger_at_end();

  const abi::InRun in_run_;
  std::optional<base::Trace> trace_;
  const Setup& setup_;
  RunOptions options_;
  std::shared_ptr<runtime::Backend> backend_;
  std::optional<log_folder::LogDir> log_dir_;
  log_folder::RunRecord record_;  // written if there is a log folder
  abi::Context context_;
  monitors::ProgressPage progress_page_;
  broch_progress& progress_ = progress_page_.own();
  plan::Interrupt interrupt_;
  tower::RunContext run_context_;
  abi::Seeds seeds_;
  abi::AskedTables asked_tables_;
  std::unique_ptr<runtime::VariableStore> variables_;
  std::unique_ptr<runtime::HyperParams> hypers_;
  std::unique_ptr<Checkpoints> checkpoints_;
  std::unique_ptr<Instances> instances_;
  train::TrainerParts parts_;
  std::optional<train::Trainer> trainer_;
  std::optional<Changes> changes_;
  std::optional<Services> services_;  // from the start of training until conclude
  std::map<std::string, std::vector<std::string>> hyper_places_;  // in the manifest, by name
  std::string resume_from_;
};

// What such a run would do. records: also after a few steps, for which a run of its own is built,
// because data can be taken only once.
PlanReport plan_report(const Setup& setup, const RunOptions& options, bool records);

}  // namespace broch::session
