// hooked_runs.hpp: runs of plans, with before_run and after_run of the callbacks.
//
// One run computes its plan and everything that callbacks fetch, with the same data point. What a
// callback may fetch is declared in setup_graph, so that a run allocates nothing for it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "monitors/monitors.hpp"
#include "plan/executor.hpp"
#include "train/callbacks.hpp"
#include "train/names.hpp"

namespace broch::train {

class HookedRuns {
 public:
  // All outlive the HookedRuns; none but step_has_effects may be nullptr.
  struct Deps {
    Callbacks* callbacks = nullptr;
    Executor* executor = nullptr;
    Monitors* monitors = nullptr;
    runtime::Backend* backend = nullptr;
    tower::RunContext* context = nullptr;
    const broch_progress* progress = nullptr;
    const bool* step_has_effects = nullptr;  // whether it has executed a plan or taken a point
    bool several_ranks = false;
  };
  explicit HookedRuns(Deps deps) : deps_(deps) {}

  // --- in setup_graph of callbacks; slot: the entry of the caller or of its outermost parent
  uint32_t declare_fetch(CallbackSlot& slot, const char* name, const std::string& asked_by);
  uint32_t declare_feed(CallbackSlot& slot, const char* name, const std::string& asked_by);
  // To be called after setup_graph: looks up all names.
  void resolve(const Fetches::Deps& names);
  // Whether a callback may fetch something that is computed from this published name of a training
  // tower.
  bool fetches(const tower::Tower& tower, std::string_view name) const;
  // Whether a callback has announced that it may feed this input of the tower.
  bool feeds(const tower::Tower& tower, std::string_view input) const;

  // --- runs
  // A hooked run of a plan, or of nothing (nullptr), in the trainer's hook group. Returns BROCH_OK
  // or BROCH_END. Throws StopTraining, Interrupted and base::Error. It is an error to call this
  // within before_run or after_run. After a request to stop, the step may go on to its end.
  broch_status run(Plan* plan);
  // A hooked run in another group: none of the trainer's callbacks take part and global_step does
  // not change.
  broch_status run_in_other_group(Plan* plan);
  // A run without hooks.
  broch_status run_plain(Plan* plan);

  // Computes the values of names, without hooks or updates. values: in the order of names.
  broch_status evaluate(const std::vector<Fetch>& names, std::vector<runtime::Tensor>& values);
  // Computes the summaries of the main tower in a run of its own and passes them to the monitors.
  broch_status evaluate_summaries();

  // --- in before_run and after_run; each throws abi::CallError if the run is over or the id is
  // unknown
  //
  // Returns the fetched value; undefined if the callback does not want it in this run. The value
  // still has its autograd graph: detach it if it is to outlive the run.
  const runtime::Tensor& value(broch_run run, const CallbackSlot& slot, uint32_t id) const;
  // The same as a handle for this instance, valid until the last after_run; 0 if not wanted.
  broch_tensor handle(broch_run run, const CallbackSlot& slot, uint32_t id,
                      abi::Instance& instance);
  void set_feed(broch_run run, CallbackSlot& slot, uint32_t id, runtime::Tensor value);
  void request_stop(std::string reason);
  void want_summaries(broch_run run, CallbackSlot& slot);

  // The reason why a callback wants to end the loop; returned once.
  std::optional<std::string> take_stop_request() { return std::exchange(stop_, std::nullopt); }
  bool is_idle() const { return stage_ == Stage::idle; }
  bool in_hooks() const { return stage_ == Stage::before || stage_ == Stage::after; }

 private:
  enum class Stage : uint8_t { idle, before, running, after };
  class Scope;

  void require_idle() const;
  broch_status execute(Plan* plan, RunRequest& request);
  void check_run(broch_run run, Stage stage, const char* function) const;
  uint32_t entry_of(const CallbackSlot& slot, uint32_t id) const;
  template <bool traced>
  void before_run(broch_run run);
  template <bool traced>
  void after_run(broch_run run);
  void handle_status(const CallbackSlot& slot, broch_status status, uint64_t messages_before);
  void gather();
  void want(const CallbackSlot& slot);

  Deps deps_;
  Fetches fetches_;
  Fetches feed_names_;
  std::vector<Fetch> feeds_;           // feed names after resolve, by entry
  std::vector<CallbackSlot*> asking_;  // entries that declared fetches
  RunRequest request_;
  std::vector<uint8_t> wanted_;  // by entry, as set by gather
  struct Given {
    abi::Instance* instance;
    uint32_t entry;
    broch_tensor handle;
  };
  std::vector<Given> given_;  // handles made in this run
  std::optional<std::string> stop_;
  Stage stage_ = Stage::idle;
  broch_run handle_ = 0;  // of the current run
};

}  // namespace broch::train
