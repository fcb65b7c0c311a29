// chief_writes.hpp: what components that run on rank 0 alone write to variables, handed on to the
// other ranks.
//
// Ranks would drift apart without it. What was written between steps, in events of an epoch or of
// the training, is handed on behind that event. What is written in before_run, after_run and
// trigger_step is handed on before the next run in which ranks meet: one small message a run, and
// only where such a callback of rank 0 has asked for a table that writes.
#pragma once
#include <vector>

#include "dist/group.hpp"
#include "runtime/write_watch.hpp"
#include "train/callbacks.hpp"

namespace broch::train {

class ChiefWrites final : public runtime::WriteWatch {
 public:
  struct Deps {
    runtime::Backend* backend = nullptr;
    runtime::VariableStore* variables = nullptr;
    runtime::HyperParams* hypers = nullptr;
    dist::Group* group = nullptr;
    const Callbacks* callbacks = nullptr;
    std::vector<abi::Instance*> session_inits;
  };
  explicit ChiefWrites(Deps deps) : deps_(std::move(deps)) {}

  void writes(const abi::Instance& by, const runtime::Variable& variable) override;

  // Each of these is called by all ranks at the same place.
  // After set-up, which is when callbacks ask for what they need: whether steps hand on, too.
  void agree();
  void hand_on();          // between events, where rank 0 may have been busy for long
  void hand_on_in_step();  // before a run in which ranks meet
  void all_were_sent();    // every GLOBAL variable is that of one rank
  // Before and behind the steps of an epoch.
  void steps_begin() { in_steps_ = true; }
  void steps_end() { in_steps_ = false; }

 private:
  bool is_of_chief(const abi::Instance& instance) const;
  bool writes_in_steps() const;
  void send();

  Deps deps_;
  std::vector<const runtime::Variable*> written_;  // on rank 0
  bool with_steps_ = false, in_steps_ = false;
};

// The value of one rank, for all.
void broadcast_value(dist::Group& group, runtime::Backend& backend,
                     const runtime::Variable& variable, uint32_t root);

}  // namespace broch::train
