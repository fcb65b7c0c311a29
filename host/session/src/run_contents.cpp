// run_contents.cpp: states, variables, cursors, the position and the settings.
#include "run_contents.hpp"

#include "abi/roles.hpp"
#include "base/log.hpp"
#include "checkpoint_names.hpp"
#include "monitors/history_bytes.hpp"
#include "settled.hpp"

namespace broch::session {
namespace {

// Stored in the format of a metric history: for each name, one point (runs, biased average).
std::string bytes_of(const plan::CostAverages& costs) {
  monitors::Monitors::History history;
  for (const auto& [name, state] : costs.states())
    history[name].push_back({state.runs, state.biased});
  return monitors::history_to_bytes(history);
}

}  // namespace

// States come first, because a monitor writes its file when it is asked for its state.
RunContents::RunContents(const RunState& run) : run_(run) {
  add_states();
  variables_.emplace(*run_.variables, contents_);
  add_cursors();
  add_position();
  add_settings();
}

void RunContents::add_states() {
  for (abi::Instance* instance : run_.instances) add_state(*instance);
  add_state(kHistory, kHost, 1, monitors::history_to_bytes(run_.monitors->all()));
  if (!run_.costs->states().empty()) add_state(kCosts, kHost, 1, bytes_of(*run_.costs));
  add_state(kOptions, kHost, 1, run_.changes->save());
}

void RunContents::add_state(abi::Instance& instance) {
  if (!abi::State::plays(instance)) return;
  if (!settled(instance))
    return base::error(instance.label() + " is being called, so the checkpoint lacks its state");
  abi::State state = abi::State::make(instance);
  std::string bytes = state.save();
  add_state(instance.name(), instance.component_id(), state.version(), std::move(bytes));
}

void RunContents::add_state(const std::string& instance, const std::string& component,
                            uint32_t version, std::string bytes) {
  states_.push_back(std::move(bytes));
  contents_.states.push_back({instance, component, version, as_bytes(states_.back())});
}

void RunContents::add_cursors() {
  if (!run_.input) return;
  cursors_ = run_.cursors();
  for (size_t rank = 0; rank < cursors_.size(); ++rank)
    for (size_t tower = 0; tower < cursors_[rank].size(); ++tower)
      contents_.cursors[cursor_name(rank, tower)] = as_bytes(cursors_[rank][tower]);
  if (cursors_.size() == 1 && run_.input->cursors_fit_any_rank())
    contents_.metadata[kAnyRanks] = "true";
  if (const std::optional<int64_t> size = run_.input->size_at_start())
    contents_.metadata[kDataSize] = std::to_string(*size);
}

void RunContents::add_position() {
  const train::Position position = run_.position();
  contents_.counters = {{"epoch_num", run_.progress->epoch_num},
                        {"local_step", run_.progress->local_step},
                        {"global_step", run_.progress->global_step},
                        {"resume_epoch", position.epoch},
                        {"resume_step", position.step},
                        {"resume_during", int64_t(position.during)},
                        {kTowers, run_.towers},
                        {kRanks, run_.ranks}};
  if (run_.servers > 0) contents_.counters[kServers] = run_.servers;
  contents_.metadata["resume.done"] = train::saved_name(run_.listed, position.done);
}

// What the bits of results depend on, and what was decided about programs.
void RunContents::add_settings() {
  for (const auto& [key, value] : run_.fingerprint) contents_.metadata[key] = value;
  for (const replay::TowerRunner* runner : run_.runners())
    if (const std::string decision = runner->decision(); !decision.empty())
      contents_.metadata[kDecision + runner->tower().describe()] = decision;
}

}  // namespace broch::session
