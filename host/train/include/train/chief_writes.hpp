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
#include "plan/rank_writes.hpp"
#include "tower/write_watch.hpp"
#include "train/callbacks.hpp"
#include "train/names.hpp"

namespace broch::train {

class ChiefWrites final : public tower::WriteWatch, public RankWrites {
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
  void hand_on();  // between events, where rank 0 may have been busy for long
  void hand_on_in_step() override;
  void all_were_sent() override;
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

}  // namespace broch::train
