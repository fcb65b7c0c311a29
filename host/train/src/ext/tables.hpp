// tables.hpp: the extension tables of this room, and how their functions reach the trainer.
#pragma once
#include "abi/guard.hpp"
#include "broch/broch.h"
#include "train/trainer.hpp"

namespace broch::train {

using abi::given;
using abi::Instance;
using abi::kAnyRole;
using abi::Role;
using abi::serve;

extern const broch_host_progress kProgressTable;
extern const broch_host_metrics kMetricsTable;
extern const broch_host_plan kPlanTable;
extern const broch_host_predict kPredictTable;
extern const broch_host_async_predict kAsyncPredictTable;
extern const broch_host_model_graph kModelGraphTable;
extern const broch_host_dist kDistTable;
extern const broch_host_input kInputTable;
extern const broch_host_collections kCollectionsTable;

// The trainer of the caller's run. Throws abi::CallError if it does not exist yet.
inline Trainer& trainer_of(abi::Instance& instance) {
  if (auto* trainer = instance.context().find<Trainer>()) return *trainer;
  throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                       "there is no trainer yet; ask from setup_graph on"};
}

// The same, but throws abi::CallError until variables have values and sources are started.
inline Trainer& ready_trainer(abi::Instance& instance, const char* function) {
  Trainer& trainer = trainer_of(instance);
  if (trainer.setting_up())
    throw abi::CallError{
        BROCH_E_FAILED_PRECONDITION,
        std::string(function) + " in setup_graph; variables have no values before before_train"};
  return trainer;
}

// The caller's entry in the list of callbacks, or that of the callback that contains it.
inline CallbackSlot& slot_of(Trainer& trainer, abi::Instance& instance, const char* function) {
  if (CallbackSlot* slot = trainer.callbacks().slot_of(instance)) return *slot;
  if (CallbackSlot* slot = trainer.own_slot(instance)) return *slot;
  throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                       std::string(function) + " is for callbacks, and " + abi::describe(instance) +
                           " is not in their list"};
}

// Before a call that all ranks make together: waits without a limit until they are about to make
// it, where rank 0 may be at work in a callback before this one. Throws abi::CallError or
// base::Error (collective) if one of them does not.
void meet_ranks(Trainer& trainer, const char* function);

// Throws abi::CallError if graph, plans and predictors can no longer be declared.
inline void require_setup(const Trainer& trainer, const char* function) {
  if (!trainer.setting_up())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         std::string(function) + " belongs into setup_graph"};
}

// Throws abi::CallError if callbacks can no longer declare what they want of runs.
inline void require_callbacks_setup(const Trainer& trainer, const abi::Instance& instance,
                                    const char* function) {
  if (!trainer.in_callbacks_setup() && !trainer.own_slot(instance))
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         std::string(function) + " belongs into setup_graph of a callback"};
}

}  // namespace broch::train
