// chief_writes.hpp: sends variables and options that components on rank 0 have written to the other
// ranks.
//
// Otherwise the ranks would drift apart. What is written between steps, in events of an epoch or of
// the training, is sent after the event. What is written in before_run, after_run and trigger_step
// is sent before the next execution in which ranks exchange data. That costs a small message per
// execution, and only happens if such a callback of rank 0 has asked for an extension that writes.
#pragma once
#include <set>
#include <string>
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
    abi::Context* context = nullptr;  // has the SettableOptions
  };
  explicit ChiefWrites(Deps deps) : deps_(std::move(deps)) {}

  void writes(const abi::Instance& by, const runtime::Variable& variable) override;
  void sets(const abi::Instance& by, const abi::Instance& owner,
            const std::string& option) override;

  // All ranks call each of these functions at the same points.
  //
  // Decides whether variables are sent in steps. Call after set-up, when callbacks have asked for
  // extensions.
  void agree();
  void hand_on();  // between events, when rank 0 may have been busy for long
  void hand_on_in_step() override;
  void all_were_sent() override;
  // Before and after the steps of an epoch.
  void steps_begin() { in_steps_ = true; }
  void steps_end() { in_steps_ = false; }

 private:
  bool is_of_chief(const abi::Instance& instance) const;
  void require_expected(const abi::Instance& by, const std::string& name) const;
  bool writes_in_steps() const;
  std::string lines() const;
  void send();
  void take(const std::string& line);

  Deps deps_;
  // On rank 0.
  std::vector<const runtime::Variable*> written_;
  std::set<std::string> options_;
  bool with_steps_ = false, in_steps_ = false;
};

}  // namespace broch::train
