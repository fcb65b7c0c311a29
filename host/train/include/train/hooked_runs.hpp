// hooked_runs.hpp: runs with before_run and after_run of the callbacks around them.
//
// One run computes what its plan does and everything that callbacks fetch, on the same data point.
// What a callback may ask for is declared in setup_graph; a run itself allocates nothing for it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/executor.hpp"
#include "train/callbacks.hpp"
#include "train/monitors.hpp"
#include "train/names.hpp"

namespace broch::train {

class HookedRuns {
 public:
  struct Deps {
    Callbacks* callbacks = nullptr;
    Executor* executor = nullptr;
    Monitors* monitors = nullptr;
    runtime::Backend* backend = nullptr;
    tower::RunContext* world = nullptr;
    const broch_progress* progress = nullptr;
  };
  explicit HookedRuns(Deps deps) : deps_(deps) {}

  // --- in setup_graph of callbacks; the slot is the caller's or that of its outermost parent
  uint32_t declare_fetch(CallbackSlot& slot, const char* name, const std::string& asked_by);
  uint32_t declare_feed(CallbackSlot& slot, const char* name, const std::string& asked_by);
  // After it: looks all names up.
  void resolve(const Fetches::Deps& names);
  // Whether somebody may fetch what is computed from that published name of a training tower.
  bool fetches(const tower::Tower& tower, std::string_view name) const;

  // --- runs
  // Of the trainer's group, around a plan or (nullptr) nothing. BROCH_OK or BROCH_END. Throws
  // StopTraining, Interrupted and base::Error; an error inside before_run and after_run and after a
  // stop was requested.
  broch_status run(Plan* plan);
  // Of another group: no callback of the trainer's group takes part and global_step stays.
  broch_status run_in_group(Plan* plan);
  // Without hooks.
  broch_status run_plain(Plan* plan);

  // Values of names, without hooks or updates; ask for them in values by place.
  broch_status evaluate(const std::vector<Fetch>& names, std::vector<runtime::Tensor>& values);
  // Summaries of the main tower as a run of their own, to the monitors.
  broch_status evaluate_summaries();

  // --- in before_run and after_run. Each throws abi::CallError for a stale run or an unknown id.
  // Undefined: not wanted in this run. With its graph: detach what leaves the run.
  const runtime::Tensor& value(broch_run run, const CallbackSlot& slot, uint32_t id) const;
  // The same as a handle of that instance, valid until the last after_run; 0: not wanted.
  broch_tensor handle(broch_run run, const CallbackSlot& slot, uint32_t id,
                      abi::Instance& instance);
  void set_feed(broch_run run, CallbackSlot& slot, uint32_t id, runtime::Tensor value);
  void request_stop(std::string reason);
  void want_summaries(broch_run run, CallbackSlot& slot);

  // Why a callback wants the loop to end, once.
  std::optional<std::string> take_stop_request() { return std::exchange(stop_, std::nullopt); }
  bool is_idle() const { return stage_ == Stage::idle; }
  bool in_hooks() const { return stage_ == Stage::before || stage_ == Stage::after; }

 private:
  enum class Stage : uint8_t { idle, before, running, after };
  class Scope;

  void require_idle() const;
  void check_run(broch_run run, Stage stage, const char* function) const;
  uint32_t entry_of(const CallbackSlot& slot, uint32_t id) const;
  template <bool traced>
  void before_run(broch_run run);
  template <bool traced>
  void after_run(broch_run run);
  void gather();
  void want(const CallbackSlot& slot);

  Deps deps_;
  Fetches fetches_;
  Fetches feed_names_;
  std::vector<Fetch> feeds_;           // resolved feed names, by entry
  std::vector<CallbackSlot*> asking_;  // slots that declared fetches
  RunRequest request_;
  std::vector<uint8_t> wanted_;  // by entry, as gathered
  struct Given {
    abi::Instance* instance;
    uint32_t entry;
    broch_tensor handle;
  };
  std::vector<Given> given_;  // handles of this run
  std::optional<std::string> stop_;
  Stage stage_ = Stage::idle;
  broch_run handle_ = 0;  // of the running run
};

}  // namespace broch::train
