// chief_writes.cpp: sends the names of variables first, then their values.
#include "train/chief_writes.hpp"

#include <algorithm>

#include "abi/asked_tables.hpp"
#include "base/error.hpp"
#include "broch/broch.h"
#include "plan/rank_gather.hpp"

namespace broch::train {

namespace {

// Extensions that write variables during the steps of an epoch.
constexpr const char* kWriters[] = {BROCH_EXT_HYPER_PARAM, BROCH_EXT_VARIABLES,
                                    BROCH_EXT_OPERATION};

bool asked_for_a_writer(const abi::AskedTables& asked, const abi::Instance& instance) {
  const auto has = [&](const char* id) { return asked.has(instance, id); };
  if (std::ranges::any_of(kWriters, has)) return true;
  return std::ranges::any_of(instance.children(), [&](const abi::Instance::Child& child) {
    const abi::Instance* const inner = child.owned ? child.owned.get() : child.instance;
    return inner && asked_for_a_writer(asked, *inner);
  });
}

bool has_step_hook(const CallbackSlot& slot) {
  return slot.has_before_run() || slot.has_after_run() || slot.has_trigger_step();
}

// LOCAL variables belong to one rank, except copies of shared ones (replicas).
bool is_shared(const runtime::Variable& variable) {
  return !variable.local() || !variable.replica.empty();
}

}  // namespace

bool ChiefWrites::is_of_chief(const abi::Instance& instance) const {
  if (const CallbackSlot* const slot = deps_.callbacks->slot_of(instance)) return slot->chief_only;
  return std::ranges::any_of(deps_.session_inits,
                             [&](const abi::Instance* init) { return contains(*init, instance); });
}

void ChiefWrites::writes(const abi::Instance& by, const runtime::Variable& variable) {
  if (!is_shared(variable) || deps_.group->ranks().rank != 0 || !is_of_chief(by)) return;
  if (in_steps_ && !with_steps_)
    throw abi::CallError{
        BROCH_E_FAILED_PRECONDITION,
        by.label() + " runs on rank 0 alone and writes '" + variable.name +
            "' between two steps, and the other ranks do not expect it\n  hint: ask for "
            "broch.hyper_param/1, broch.variables/1 or broch.operation/1 in create or setup_graph, "
            "write in "
            "an event of the epoch, or give it \"run_on\": \"all\""};
  if (std::ranges::find(written_, &variable) == written_.end()) written_.push_back(&variable);
}

bool ChiefWrites::writes_in_steps() const {
  return std::ranges::any_of(deps_.callbacks->slots(), [](const auto& slot) {
    if (!slot->chief_only || !slot->instance() || !has_step_hook(*slot)) return false;
    const auto* const asked = slot->instance()->context().template find<abi::AskedTables>();
    return asked && asked_for_a_writer(*asked, *slot->instance());
  });
}

void ChiefWrites::agree() {
  with_steps_ = deps_.group->any(deps_.group->ranks().rank == 0 && writes_in_steps());
}

void ChiefWrites::hand_on() {
  if (deps_.group->any(!written_.empty())) send();
}

void ChiefWrites::hand_on_in_step() {
  if (with_steps_) send();
}

void ChiefWrites::all_were_sent() {
  std::erase_if(written_, [](const auto* variable) { return !variable->local(); });
  deps_.hypers->refresh();
}

void ChiefWrites::send() {
  dist::Group& group = *deps_.group;
  std::string names;
  for (const runtime::Variable* variable : written_) names += variable->name + "\n";
  uint64_t size = names.size();
  group.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  if (size == 0) return;
  names.resize(size);
  group.broadcast(std::as_writable_bytes(std::span(names)), 0);
  for (size_t begin = 0, end; (end = names.find('\n', begin)) != std::string::npos; begin = end + 1)
    broadcast_value(group, *deps_.backend, deps_.variables->at(names.substr(begin, end - begin)),
                    0);
  written_.clear();
  deps_.hypers->refresh();
}

}  // namespace broch::train
