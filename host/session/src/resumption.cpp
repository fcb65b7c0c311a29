// resumption.cpp: checks counts and settings, loads variables and states, finds the position.
#include "resumption.hpp"

#include <algorithm>
#include <set>

#include "abi/roles.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "checkpoint_names.hpp"
#include "checkpoint_variables.hpp"
#include "monitors/history_bytes.hpp"
#include "settled.hpp"

namespace broch::session {
namespace {

bool is_local(const store::SavedVariable& saved) {
  return std::ranges::find(saved.collections, "LOCAL") != saved.collections.end();
}

// Stored in the format of a metric history: for each name, one point (runs, biased average).
void load(plan::CostAverages& costs, std::string_view bytes) {
  std::map<std::string, plan::CostAverages::State> states;
  for (const auto& [name, points] : monitors::history_from_bytes(bytes))
    if (points.size() == 1) states[name] = {points[0].value, points[0].global_step};
  costs.restore(states);
}

}  // namespace

Resumption::Resumption(const RunState& run, const std::filesystem::path& path)
    : run_(run),
      where_(path.string()),
      checkpoint_(store::read_checkpoint(path)),
      saved_(checkpoint_.contents),
      has_former_names_(has_former_names()) {}

Resumed Resumption::load() {
  require_count(kTowers, run_.towers);
  if (!saved_.metadata.contains(kAnyRanks)) require_count(kRanks, run_.ranks);
  if (run_.servers > 0) require_count(kServers, run_.servers);
  const bool same_settings = has_fingerprint();
  load_variables();
  run_.hypers->refresh();
  load_states();
  run_.hypers->refresh();
  if (same_settings) take_over_decisions();
  compare_data_size();
  return {position(), cursors()};
}

// Each tower and each rank has its own position in the data, and may have replicas. Each parameter
// server has its own counts of updates.
void Resumption::require_count(const std::string& what, int64_t count) const {
  const auto saved = saved_.counters.find(what);
  if (saved == saved_.counters.end() || saved->second == count) return;
  base::fail(base::Exit::checkpoint, where_,
             "made by a run with " + std::to_string(saved->second) + " " + what,
             "as many as this run has, " + std::to_string(count),
             std::string("resume with as many ") +
                 (what == kTowers    ? "devices"
                  : what == kServers ? "parameter servers"
                                     : "ranks (any number can go on where the dataflow "
                                       "shard divides an indexed dataflow)") +
                 ", or start a new run with these weights in session_init");
}

// Compares the fingerprint and warns about differences.
bool Resumption::has_fingerprint() const {
  bool same = true;
  for (const auto& [key, value] : run_.fingerprint) {
    const auto it = saved_.metadata.find(key);
    if (it == saved_.metadata.end() || it->second == value) continue;
    same = false;
    base::warning("the checkpoint was made with " + key + " " + it->second + ", this run has " +
                  value + ": the run continues, but not bit for bit");
  }
  return same;
}

void Resumption::load_variables() {
  std::set<std::string> saved_names;
  std::vector<std::string> missing, unknown;
  const runtime::VariableWrites::Write write(run_.variables->writes());
  for (const store::SavedVariable& saved : saved_.variables) {
    saved_names.insert(saved.value.name);
    if (runtime::Variable* variable = run_.variables->find(saved.value.name))
      load_exactly(*run_.backend, saved.value, *variable, where_);
    else if (run_.progress->is_chief || !is_local(saved))  // other ranks lack those of callbacks
      unknown.push_back(saved.value.name);
  }
  for (const auto& variable : run_.variables->all())
    if (!saved_names.contains(variable->name)) missing.push_back(variable->name);
  if (!missing.empty() || !unknown.empty())
    base::fail(base::Exit::checkpoint, where_,
               "variables that differ from the model's; only there: " + base::join(unknown, ", ") +
                   "; only here: " + base::join(missing, ", "),
               "the same model as the run that is resumed",
               "resume with the manifest of that run, or use session_init to load weights");
}

// Whether the program that saved this called what "when" triggers by its former name. That has a
// slash; the others, which such a program may have numbered otherwise, do not tell.
bool Resumption::has_former_names() const {
  return std::ranges::any_of(run_.former_names, [this](const auto& former) {
    const auto& [instance, name] = former;
    return name.find('/') != std::string::npos &&
           std::ranges::any_of(saved_.states, [&](const store::SavedState& state) {
             return state.instance == name && state.component == instance->component_id();
           });
  });
}

bool Resumption::is_of(const store::SavedState& state, const abi::Instance& instance) const {
  const auto former = run_.former_names.find(&instance);
  const bool is_former = has_former_names_ && former != run_.former_names.end();
  return state.instance == (is_former ? former->second : instance.name()) &&
         state.component == instance.component_id();
}

// The options of instances are set before these get their states.
void Resumption::load_states() {
  const auto options = std::ranges::find(saved_.states, kOptions, &store::SavedState::instance);
  if (options != saved_.states.end()) run_.changes->load(std::string(as_text(options->bytes)));
  for (const store::SavedState& saved : saved_.states)
    if (saved.instance != kOptions) load_state(saved);
  std::vector<std::string> stateless;
  for (abi::Instance* instance : run_.instances) {
    const auto is_its = [&](const store::SavedState& saved) { return is_of(saved, *instance); };
    if (abi::State::plays(*instance) && std::ranges::none_of(saved_.states, is_its))
      stateless.push_back(instance->label());
  }
  if (!stateless.empty())
    base::warning("the checkpoint has no state for these instances, which start afresh: " +
                  base::join(stateless, ", "));
}

void Resumption::load_state(const store::SavedState& saved) {
  if (saved.instance == kCosts) return session::load(*run_.costs, as_text(saved.bytes));
  if (saved.instance == kHistory)
    return run_.monitors->restore(monitors::history_from_bytes(as_text(saved.bytes)));
  const auto found = std::ranges::find_if(
      run_.instances, [&](const abi::Instance* one) { return is_of(saved, *one); });
  if (found == run_.instances.end())
    base::warning("the checkpoint has state of '" + saved.instance + "' (" + saved.component +
                  "), which this run does not have");
  else if (settled(**found))
    abi::State::make(**found).load(saved.version, as_text(saved.bytes));
}

void Resumption::take_over_decisions() {
  for (replay::TowerRunner* runner : run_.runners())
    if (const auto it = saved_.metadata.find(kDecision + runner->tower().describe());
        it != saved_.metadata.end())
      runner->take_over(it->second);
}

// Warns if the data have another size than when the checkpoint was saved: its cursors may then mean
// other points. With another number of ranks, each rank has another part.
void Resumption::compare_data_size() const {
  const auto ranks = saved_.counters.find(kRanks);
  const auto saved = saved_.metadata.find(kDataSize);
  if (!run_.input || saved == saved_.metadata.end()) return;
  if (ranks != saved_.counters.end() && ranks->second != run_.ranks) return;
  const std::optional<int64_t> size = run_.input->size();
  if (!size || std::to_string(*size) == saved->second) return;
  base::warning(run_.input->describe() + " has " + std::to_string(*size) +
                " data points per round, and had " + saved->second +
                " when the checkpoint was saved: the resumed run continues, but its data may "
                "repeat or leave out points");
}

train::Position Resumption::position() const {
  const auto done = saved_.metadata.find("resume.done");
  return {counter("resume_epoch"), counter("resume_step"),
          train::Position::During(counter("resume_during")),
          done == saved_.metadata.end() ? "" : train::listed_name(run_.listed, done->second)};
}

int64_t Resumption::counter(const char* name) const {
  const auto it = saved_.counters.find(name);
  if (it == saved_.counters.end())
    base::fail(base::Exit::checkpoint, where_, std::string("no counter ") + name,
               "a checkpoint of a run", "load weights alone with session_init");
  return it->second;
}

// By rank, or one element for all ranks.
std::vector<plan::Cursors> Resumption::cursors() const {
  std::vector<plan::Cursors> all;
  for (size_t rank = 0; rank < size_t(run_.ranks); ++rank) {
    plan::Cursors cursors;
    for (auto it = saved_.cursors.find(cursor_name(rank, 0)); it != saved_.cursors.end();
         it = saved_.cursors.find(cursor_name(rank, cursors.size())))
      cursors.emplace_back(as_text(it->second));
    if (rank == 1 && cursors.empty()) break;
    if (rank > 1 && cursors.empty())
      base::fail(base::Exit::checkpoint, where_, "no cursor of rank " + std::to_string(rank),
                 "one for each of " + std::to_string(run_.ranks) + " ranks",
                 "the file was not written by this program");
    all.push_back(std::move(cursors));
  }
  return all;
}

}  // namespace broch::session
