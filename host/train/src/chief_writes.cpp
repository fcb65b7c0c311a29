// chief_writes.cpp: sends a line for each variable and option first, then the values of the
// variables.
#include "train/chief_writes.hpp"

#include <algorithm>
#include <charconv>

#include "abi/asked_tables.hpp"
#include "abi/nesting.hpp"
#include "abi/serve.hpp"
#include "abi/settable_options.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
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
    const abi::Instance* const inner = child.get();
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

void ChiefWrites::require_expected(const abi::Instance& by, const std::string& name) const {
  if (!in_steps_ || with_steps_) return;
  throw abi::CallError{
      BROCH_E_FAILED_PRECONDITION,
      by.label() + " runs on rank 0 alone and writes '" + name +
          "' between two steps, and the other ranks do not expect it\n  hint: ask for "
          "broch.hyper_param/1, broch.variables/1 or broch.operation/1 in create or setup_graph, "
          "write in "
          "an event of the epoch, or give it \"run_on\": \"all\""};
}

void ChiefWrites::writes(const abi::Instance& by, const runtime::Variable& variable) {
  if (!is_shared(variable) || deps_.group->ranks().rank != 0 || !is_of_chief(by)) return;
  require_expected(by, variable.name);
  if (std::ranges::find(written_, &variable) == written_.end()) written_.push_back(&variable);
}

void ChiefWrites::sets(const abi::Instance& by, const abi::Instance& owner,
                       const std::string& option) {
  if (is_of_chief(owner) || deps_.group->ranks().rank != 0 || !is_of_chief(by)) return;
  require_expected(by, option);
  options_.insert(option);
}

bool ChiefWrites::writes_in_steps() const {
  return std::ranges::any_of(deps_.callbacks->slots(), [](const auto& slot) {
    if (!slot->chief_only || !slot->instance() || !has_step_hook(*slot)) return false;
    const auto* const asked = slot->instance()->context().template find<abi::AskedTables>();
    return asked && asked_for_a_writer(*asked, *slot->instance());
  });
}

void ChiefWrites::agree() {
  // Since it was written, a variable may have become LOCAL: only rank 0 has it.
  std::erase_if(written_, [](const auto* variable) { return !is_shared(*variable); });
  with_steps_ = deps_.group->any(deps_.group->ranks().rank == 0 && writes_in_steps());
}

void ChiefWrites::hand_on() {
  if (deps_.group->any(!written_.empty() || !options_.empty())) send();
}

void ChiefWrites::hand_on_in_step() {
  if (with_steps_) send();
}

void ChiefWrites::all_were_sent() {
  std::erase_if(written_, [](const auto* variable) { return !variable->local(); });
  deps_.hypers->refresh();
}

// The name of a variable, or =NAME=VALUE for an option.
std::string ChiefWrites::lines() const {
  std::string lines;
  for (const runtime::Variable* variable : written_) lines += variable->name + "\n";
  for (const std::string& option : options_)
    lines += "=" + option + "=" +
             base::shortest(deps_.context->find<abi::SettableOptions>()->get_number(option)) + "\n";
  return lines;
}

void ChiefWrites::send() {
  dist::Group& group = *deps_.group;
  std::string lines = this->lines();
  uint64_t size = lines.size();
  group.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  if (size == 0) return;
  lines.resize(size);
  group.broadcast(std::as_writable_bytes(std::span(lines)), 0);
  for (size_t begin = 0, end; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1)
    take(lines.substr(begin, end - begin));
  written_.clear();
  options_.clear();
  deps_.hypers->refresh();
}

void ChiefWrites::take(const std::string& line) {
  if (line[0] != '=') {
    const runtime::VariableWrites::Write write(deps_.variables->writes());
    return broadcast_value(*deps_.group, *deps_.backend, deps_.variables->at(line), 0);
  }
  const size_t sign = line.rfind('=');
  double number = 0;  // as shortest() has written it, also where it is subnormal
  std::from_chars(line.data() + sign + 1, line.data() + line.size(), number);
  auto& options = *deps_.context->find<abi::SettableOptions>();
  try {
    options.set_number(line.substr(1, sign - 1), number);
  } catch (const abi::CallError& error) {
    throw base::Error(base::Exit::training, error.what());
  }
}

}  // namespace broch::train
