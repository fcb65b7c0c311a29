// run.hpp: one run, built from a Setup: stores, instances, trainer, checkpoints.
//
//   Setup setup(options);
//   Run run(setup, run_options);
//   run.build();            instances and graph
//   run.train();            or report(), evaluate()
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
#include "session/changes.hpp"
#include "session/checkpoints.hpp"
#include "session/log_dir.hpp"
#include "session/run_record.hpp"
#include "session/services.hpp"
#include "session/setup.hpp"
#include "session/ui.hpp"
#include "train/progress_page.hpp"
#include "train/trainer.hpp"

namespace broch::session {

struct RunOptions {
  bool null_runtime = false;                  // counters and names, no tensors
  std::shared_ptr<runtime::Backend> backend;  // one that is open, in place of a new one
  bool writes = true;                         // has a log folder; plan and eval do not
  bool awaits_metrics = true;                 // false: one that a callback waits for need not come
  bool rehearses = false;                     // writes nothing, but saves where it is removed again
  std::string log_dir;                        // in place of the manifest's; "": that one
  bool session_init = true;                   // false: all variables come from elsewhere
  bool all_callbacks = true;  // false: the extra ones only, which by default are there anyway
  bool resume = false;        // continue the newest checkpoint of …
  std::string resume_path;    // … this run's folder or file; "": the manifest's log_dir; "auto":
                              // that one, or start afresh where it has no checkpoint
  std::string profile;        // the file of one; "": none
  Ui* ui = nullptr;
  const base::Clock* clock = &base::system_clock();
  uint32_t rank = 0, world = 1;     // among those that train; a parameter server's: behind them
  dist::Group* group = nullptr;     // of these ranks; nullptr: there is one, or they do not talk
  dist::Group* everyone = nullptr;  // with parameter servers; nullptr: there is one rank
  bool serves() const { return everyone && everyone->ranks().is_server(); }
};

// What `broch plan` tells.
struct PlanReport {
  // What the calls of a tower or of an operation became; after steps.
  struct ProgramLine {
    size_t operators = 0, calls = 0;
    std::vector<std::string> passes;
    size_t planned_bytes = 0, unplanned_bytes = 0;
    double record_milliseconds = 0;
  };
  struct TowerLine {
    std::string name, mode, device, execution;
    plan::DefineCost define;
    std::optional<ProgramLine> program;
  };
  struct UpdateLine {
    std::string name, execution;
    std::optional<ProgramLine> program;
  };
  struct ParameterLine {
    std::string name, shape;
    int64_t elements;
  };
  struct CallbackLine {
    std::string name, component, run_on;
  };
  std::string runtime;
  std::vector<TowerLine> towers;
  std::vector<UpdateLine> updates;  // chains of gradient processors, operations
  std::string trainables;           // a table, "" when there are none
  std::vector<ParameterLine> parameters;
  int64_t parameter_count = 0;
  std::vector<std::pair<std::string, std::string>> batch;  // input, shape of one data point
  std::optional<int64_t> batch_per_tower;
  int64_t training_towers = 0;
  std::optional<int64_t> steps_per_epoch;
  std::vector<CallbackLine> callbacks;  // in order
};

class Run {
 public:
  Run(const Setup& setup, RunOptions options);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Log folder, backend, instances, graph, callbacks. Once. Throws base::Error.
  void build();
  // The main loop; the exit code. REQUIRES: build.
  base::Exit train();
  // What the process is going to end with: written into the log folder (where that fails it only
  // warns), and kept for instances that do not end. Then services are stopped and the profile is
  // written.
  void conclude(base::Exit exit);
  // Some steps, until enough says so, which is asked before each. Events of an epoch's end are not
  // reached, and without a log folder nothing is written. REQUIRES: build.
  base::Exit train_until(std::function<bool()> enough);
  // As many as it takes until each program is verified or it is known that it stays eager, but not
  // endlessly many; the number of steps.
  int64_t record_programs();
  // The training towers, and what they are run by so far.
  std::vector<PlanReport::TowerLine> tower_lines();
  // The same of what plans compute besides towers.
  std::vector<PlanReport::UpdateLine> update_lines();
  // Takes one data point and tells what a training would be.
  PlanReport report();
  // Loads GLOBAL variables from a checkpoint and triggers every inference runner once, whatever its
  // period; the metrics they put.
  std::vector<std::pair<std::string, double>> evaluate(const std::string& checkpoint);

  train::Trainer& trainer() { return *trainer_; }
  // REQUIRES: build, at least in part.
  const Instances& instances() const { return *instances_; }
  // Whether a log folder is left when the process ends so: one of a start that failed before
  // training is taken back.
  bool leaves_log_dir(base::Exit exit) const;
  // "" when there is none.
  std::string log_dir() const { return log_dir_ ? log_dir_->path() : ""; }
  // True when instances must not be destroyed: leave the process at once.
  bool abandoned() const { return trainer_ && trainer_->abandoned(); }

 private:
  std::vector<tower::TowerRunner*> runners();  // towers' and others
  void open_backend();
  void open_log_dir();
  bool branches() const;
  void require_agreement(const std::string& found) const;
  void open_log_of_rank() const;
  void provide_all();
  void make_instances();
  void fill_parts();
  void add_callbacks(const std::vector<manifest::Component>& from,
                     std::vector<train::CallbackPart>& to);
  void write_records();
  void write_plugins() const;
  void note_settings();
  bool is_complete() const;
  void write_end(base::Exit exit);
  std::optional<int64_t> count_steps();
  std::optional<int64_t> samples_of_point();
  std::vector<runtime::Device> predict_devices() const;
  std::map<std::string, std::string> fingerprint() const;
  void log_batch(int64_t steps);
  train::LoopConfig loop_config();
  std::vector<abi::Instance*> instances_here() const;
  void start_services();

  const abi::InRun in_run_;
  std::optional<base::Trace> trace_;
  const Setup& setup_;
  RunOptions options_;
  std::shared_ptr<runtime::Backend> backend_;
  std::optional<LogDir> log_dir_;
  RunRecord record_;  // written where there is a log folder
  abi::Context context_;
  train::ProgressPage progress_page_;
  broch_progress& progress_ = progress_page_.own();
  plan::Interrupt interrupt_;
  tower::RunContext world_;
  abi::Seeds seeds_;
  abi::AskedTables asked_tables_;
  std::unique_ptr<runtime::VariableStore> variables_;
  std::unique_ptr<runtime::HyperParams> hypers_;
  std::unique_ptr<Checkpoints> checkpoints_;
  std::unique_ptr<Instances> instances_;
  train::TrainerParts parts_;
  std::optional<train::Trainer> trainer_;
  std::optional<Changes> changes_;
  std::optional<Services> services_;  // while it trains, until it is concluded
  std::map<std::string, std::vector<std::string>> hyper_places_;  // in the manifest, by name
  std::string resume_from_;
};

}  // namespace broch::session
