// checkpoints.cpp: collects a run into a checkpoint, and restores it.
#include "session/checkpoints.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>

#include "abi/roles.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "checkpoint_variables.hpp"
#include "restoration.hpp"
#include "settled.hpp"
#include "store/atomic_file.hpp"
#include "train/history_bytes.hpp"

namespace broch::session {
namespace {

namespace fs = std::filesystem;

// These take the place of an instance's name. No instance can have such a name.
constexpr const char* kHistory = "broch.metrics";
constexpr const char* kOptions = "broch.options";
constexpr const char* kCosts = "broch.costs";
constexpr const char* kHost = "broch.host";
constexpr const char* kDecision = "program.";
constexpr const char* kTowers = "towers";
constexpr const char* kRanks = "ranks";
// Metadata: present if the cursors mean the same on every rank.
constexpr const char* kAnyRanks = "resume.any_ranks";
// Metadata: the number of data points in a round of the input, if it is known.
constexpr const char* kDataSize = "resume.data_size";

std::span<const std::byte> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// "tower-T" of rank 0, which holds for all ranks if no other one has any; otherwise
// "rank-R/tower-T".
std::string cursor_name(size_t rank, size_t tower) {
  return (rank ? "rank-" + std::to_string(rank) + "/" : "") + "tower-" + std::to_string(tower);
}

bool is_of(const store::SavedState& state, const abi::Instance& instance) {
  return instance.name() == state.instance && instance.component_id() == state.component;
}
bool has_state_of(const store::Checkpoint& checkpoint, const abi::Instance& instance) {
  return std::any_of(checkpoint.contents.states.begin(), checkpoint.contents.states.end(),
                     [&](const store::SavedState& state) { return is_of(state, instance); });
}

// Stored in the format of a metric history: for each name, one point (runs, biased average).
std::string bytes_of(const plan::CostAverages& costs) {
  train::Monitors::History history;
  for (const auto& [name, state] : costs.states())
    history[name].push_back({state.runs, state.biased});
  return train::history_to_bytes(history);
}
void load(plan::CostAverages& costs, std::string_view bytes) {
  std::map<std::string, plan::CostAverages::State> states;
  for (const auto& [name, points] : train::history_from_bytes(bytes))
    if (points.size() == 1) states[name] = {points[0].value, points[0].global_step};
  costs.restore(states);
}

// Owns the states of instances and of the host; the views in contents refer to them.
class StateBytes {
 public:
  StateBytes(const RunState& run, store::CheckpointContents& contents) : contents_(contents) {
    for (abi::Instance* instance : run.instances) add(*instance);
    add(kHistory, kHost, 1, train::history_to_bytes(run.monitors->all()));
    if (!run.costs->states().empty()) add(kCosts, kHost, 1, bytes_of(*run.costs));
    add(kOptions, kHost, 1, run.changes->save());
  }

 private:
  void add(abi::Instance& instance) {
    if (!abi::State::plays(instance)) return;
    if (!settled(instance))
      return base::error(instance.label() + " is being called, so the checkpoint lacks its state");
    abi::State state = abi::State::make(instance);
    std::string bytes = state.save();
    add(instance.name(), instance.component_id(), state.version(), std::move(bytes));
  }
  void add(const std::string& instance, const std::string& component, uint32_t version,
           std::string bytes) {
    bytes_.push_back(std::move(bytes));
    contents_.states.push_back({instance, component, version, as_bytes(bytes_.back())});
  }

  store::CheckpointContents& contents_;
  std::deque<std::string> bytes_;  // which stay where they are
};

// Owns the cursors of the input; the views in contents refer to them.
class CursorBytes {
 public:
  CursorBytes(const RunState& run, store::CheckpointContents& contents) {
    if (!run.input) return;
    cursors_ = run.cursors();
    for (size_t rank = 0; rank < cursors_.size(); ++rank)
      for (size_t tower = 0; tower < cursors_[rank].size(); ++tower)
        contents.cursors[cursor_name(rank, tower)] = as_bytes(cursors_[rank][tower]);
    if (cursors_.size() == 1 && run.input->cursors_fit_any_rank())
      contents.metadata[kAnyRanks] = "true";
    if (const std::optional<int64_t> size = run.input->size_at_start())
      contents.metadata[kDataSize] = std::to_string(*size);
  }

 private:
  std::vector<plan::Cursors> cursors_;
};

void add_position(const RunState& run, store::CheckpointContents& contents) {
  const train::Position position = run.position();
  contents.counters = {{"epoch_num", run.progress->epoch_num},
                       {"local_step", run.progress->local_step},
                       {"global_step", run.progress->global_step},
                       {"resume_epoch", position.epoch},
                       {"resume_step", position.step},
                       {"resume_during", int64_t(position.during)},
                       {kTowers, run.towers},
                       {kRanks, run.ranks}};
  contents.metadata["resume.done"] = position.done;
}

// What the bits of results depend on, and what was decided about programs.
void add_settings(const RunState& run, store::CheckpointContents& contents) {
  for (const auto& [key, value] : run.fingerprint) contents.metadata[key] = value;
  for (const replay::TowerRunner* runner : run.runners())
    if (const std::string decision = runner->decision(); !decision.empty())
      contents.metadata[kDecision + runner->tower().describe()] = decision;
}

// By rank, or one element for all ranks.
std::vector<plan::Cursors> cursors_in(const store::Checkpoint& checkpoint, int64_t ranks,
                                      const std::string& where) {
  const auto& saved = checkpoint.contents.cursors;
  std::vector<plan::Cursors> all;
  for (size_t rank = 0; rank < size_t(ranks); ++rank) {
    plan::Cursors cursors;
    for (auto it = saved.find(cursor_name(rank, 0)); it != saved.end();
         it = saved.find(cursor_name(rank, cursors.size())))
      cursors.emplace_back(as_text(it->second));
    if (rank == 1 && cursors.empty()) break;
    if (rank > 1 && cursors.empty())
      throw base::Error(base::Exit::checkpoint,
                        base::Diagnostic{where, "no cursor of rank " + std::to_string(rank),
                                         "one for each of " + std::to_string(ranks) + " ranks",
                                         "the file was not written by this program"});
    all.push_back(std::move(cursors));
  }
  return all;
}

bool is_local(const store::SavedVariable& saved) {
  return std::ranges::find(saved.collections, "LOCAL") != saved.collections.end();
}

void warn_about(const std::vector<std::string>& names, const std::string& what) {
  if (!names.empty()) base::warning(what + ": " + base::join(names, ", "));
}

}  // namespace

Checkpoints::Checkpoints(std::string default_folder, const base::Clock& clock)
    : default_folder_(std::move(default_folder)), clock_(clock) {}

void Checkpoints::rehearse(const std::string& default_folder) {
  default_folder_ = default_folder;
  scratch_.emplace("broch-rehearsal");
}

std::string Checkpoints::folder_or_default(const char* folder) {
  if (folder && *folder) return scratch_ ? rehearsed(folder) : folder;
  if (default_folder_.empty())
    throw base::Error(base::Exit::data,
                      base::Diagnostic{"checkpoints", "this process has no log directory",
                                       "a folder to save in", "set checkpoint_dir"});
  return scratch_ ? rehearsed(default_folder_) : default_folder_;
}

// Nothing is created outside the temporary folder, so only the nearest folder that exists is
// tested.
std::string Checkpoints::rehearsed(const std::string& folder) {
  fs::path wanted = fs::absolute(folder).lexically_normal();
  if (!wanted.has_filename()) wanted = wanted.parent_path();  // "log/"
  const std::string inside = wanted.lexically_relative(scratch_->path());
  if (!inside.empty() && !inside.starts_with("..")) return wanted;
  if (const auto known = stand_ins_.find(wanted); known != stand_ins_.end()) return known->second;
  std::error_code error;
  fs::path there = wanted;
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const bool is_folder = fs::is_directory(there, error);
  if (!is_folder || access(there.c_str(), W_OK | X_OK) != 0)
    throw base::Error(
        base::Exit::data,
        base::Diagnostic{folder,
                         there.string() + (is_folder ? " cannot be written to" : " is no folder"),
                         "a folder to save in", "set another checkpoint_dir or log_dir"});
  return stand_ins_[wanted] = scratch_->path() / std::to_string(stand_ins_.size());
}

void Checkpoints::copy(const fs::path& path, const std::string& name) {
  const fs::path folder = path.parent_path();
  store::copy_atomically(
      path, store::checkpoint_file(scratch_ ? fs::path(rehearsed(folder)) : folder, name));
}

void Checkpoints::retain(const std::string& folder, store::KeepPolicy policy) {
  // A run that writes nothing (plan, eval) has no folder and needs no policy.
  if (folder.empty() && default_folder_.empty()) return;
  const std::string target = folder_or_default(folder.c_str());
  policy.keep_every_n_steps = policies_[target].keep_every_n_steps;
  keep(target, policy);
}

void Checkpoints::retain_steps(const std::string& folder, int64_t n) {
  if (folder.empty() && default_folder_.empty()) return;
  const std::string target = folder_or_default(folder.c_str());
  store::KeepPolicy policy = policies_[target];
  policy.keep_every_n_steps = n;
  keep(target, policy);
}

void Checkpoints::keep(const std::string& target, const store::KeepPolicy& policy) {
  policies_[target] = policy;
  if (const auto& list = lists_[target]) list->keep(policy);
}

store::CheckpointList& Checkpoints::list(const std::string& folder) {
  auto& list = lists_[folder];
  if (!list) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw base::Error(base::Exit::data,
                        base::Diagnostic{folder, "cannot be created: " + error.message(),
                                         "a folder to save in", "set another checkpoint_dir"});
    list = std::make_unique<store::CheckpointList>(folder, policies_[folder], clock_);
  }
  return *list;
}

void Checkpoints::select(const std::string& folder, uint32_t flags) {
  if (folder.empty() && default_folder_.empty()) return;
  const std::string target = folder_or_default(folder.c_str());
  const auto is_default = [&](const std::string& path) {
    return !path.empty() && fs::weakly_canonical(path) == fs::weakly_canonical(target);
  };
  if (is_default(default_folder_) || target == folder_or_default(""))
    base::fail(base::Exit::manifest, "checkpoints", "variables alone in the log folder",
               "another folder, as the run is resumed from checkpoints in its log folder",
               "set checkpoint_dir");
  selected_[target] = flags;
}

// What a training continues with is left out.
fs::path Checkpoints::save_selected(const std::string& target, uint32_t flags) {
  store::CheckpointContents contents;
  const VariableBytes bytes(*run_.variables, contents, flags);
  contents.counters = {{"epoch_num", run_.progress->epoch_num},
                       {"global_step", run_.progress->global_step}};
  return list(target).save(store::checkpoint_name(run_.progress->global_step), contents);
}

fs::path Checkpoints::save(const std::string& folder) {
  if (run_.before_save) run_.before_save();
  const std::string target = folder_or_default(folder.c_str());
  if (const auto flags = selected_.find(target); flags != selected_.end()) {
    const fs::path path = save_selected(target, flags->second);
    unsaved_.erase(target);
    return path;
  }
  store::CheckpointContents contents;
  // States come first, because a monitor writes its file when it is asked for its state.
  const StateBytes states(run_, contents);
  const VariableBytes variables(*run_.variables, contents);
  const CursorBytes cursors(run_, contents);
  add_position(run_, contents);
  add_settings(run_, contents);
  fs::path path = list(target).save(store::checkpoint_name(run_.progress->global_step), contents);
  unsaved_.erase(target);
  return path;
}

Resumed Checkpoints::resume(const fs::path& path) {
  const store::Checkpoint checkpoint = store::read_checkpoint(path);
  require_count(checkpoint, kTowers, run_.towers, path.string());
  if (!checkpoint.contents.metadata.contains(kAnyRanks))
    require_count(checkpoint, kRanks, run_.ranks, path.string());
  const bool same_settings = has_fingerprint_of(checkpoint);
  load_variables(checkpoint, path.string());
  run_.hypers->refresh();
  load_states(checkpoint);
  run_.hypers->refresh();
  const auto& metadata = checkpoint.contents.metadata;
  if (same_settings)
    for (replay::TowerRunner* runner : run_.runners())
      if (const auto it = metadata.find(kDecision + runner->tower().describe());
          it != metadata.end())
        runner->take_over(it->second);
  compare_data_size(checkpoint);
  Resumed resumed;
  const auto counter = [&](const char* name) {
    const auto it = checkpoint.contents.counters.find(name);
    if (it == checkpoint.contents.counters.end())
      throw base::Error(
          base::Exit::checkpoint,
          base::Diagnostic{path.string(), std::string("no counter ") + name,
                           "a checkpoint of a run", "load weights alone with session_init"});
    return it->second;
  };
  const auto done = checkpoint.contents.metadata.find("resume.done");
  resumed.position = {counter("resume_epoch"), counter("resume_step"),
                      train::Position::During(counter("resume_during")),
                      done != checkpoint.contents.metadata.end() ? done->second : ""};
  resumed.cursors = cursors_in(checkpoint, run_.ranks, path.string());
  return resumed;
}

void Checkpoints::load_variables(const store::Checkpoint& checkpoint, const std::string& where) {
  std::set<std::string> saved_names;
  std::vector<std::string> missing, unknown;
  for (const store::SavedVariable& saved : checkpoint.contents.variables) {
    saved_names.insert(saved.value.name);
    if (runtime::Variable* variable = run_.variables->find(saved.value.name))
      load_exactly(*run_.backend, saved.value, *variable, where);
    else if (run_.progress->is_chief || !is_local(saved))  // other ranks lack those of callbacks
      unknown.push_back(saved.value.name);
  }
  for (const auto& variable : run_.variables->all())
    if (!saved_names.contains(variable->name)) missing.push_back(variable->name);
  if (!missing.empty() || !unknown.empty())
    throw base::Error(
        base::Exit::checkpoint,
        base::Diagnostic{
            where,
            "variables that differ from the model's; only there: " + base::join(unknown, ", ") +
                "; only here: " + base::join(missing, ", "),
            "the same model as the run that is resumed",
            "resume with the manifest of that run, or use session_init to load weights"});
}

void Checkpoints::load_states(const store::Checkpoint& checkpoint) {
  const auto& states = checkpoint.contents.states;
  const auto options = std::ranges::find(states, kOptions, &store::SavedState::instance);
  if (options != states.end()) run_.changes->load(std::string(as_text(options->bytes)));
  for (const store::SavedState& saved : states) {
    if (saved.instance == kOptions) continue;
    if (saved.instance == kCosts) {
      load(*run_.costs, as_text(saved.bytes));
      continue;
    }
    if (saved.instance == kHistory) {
      run_.monitors->restore(train::history_from_bytes(as_text(saved.bytes)));
      continue;
    }
    const auto found = std::find_if(run_.instances.begin(), run_.instances.end(),
                                    [&](const abi::Instance* one) { return is_of(saved, *one); });
    if (found == run_.instances.end())
      base::warning("the checkpoint has state of '" + saved.instance + "' (" + saved.component +
                    "), which this run does not have");
    else if (settled(**found))
      abi::State::make(**found).load(saved.version, as_text(saved.bytes));
  }
  std::vector<std::string> stateless;
  for (abi::Instance* instance : run_.instances)
    if (abi::State::plays(*instance) && !has_state_of(checkpoint, *instance))
      stateless.push_back(instance->label());
  warn_about(stateless, "the checkpoint has no state for these instances, which start afresh");
}

// Each tower and each rank has its own position in the data, and may have replicas.
void Checkpoints::require_count(const store::Checkpoint& checkpoint, const std::string& what,
                                int64_t count, const std::string& where) {
  const auto saved = checkpoint.contents.counters.find(what);
  if (saved == checkpoint.contents.counters.end() || saved->second == count) return;
  throw base::Error(
      base::Exit::checkpoint,
      base::Diagnostic{where, "made by a run with " + std::to_string(saved->second) + " " + what,
                       "as many as this run has, " + std::to_string(count),
                       std::string("resume with as many ") +
                           (what == kTowers ? "devices"
                                            : "ranks (any number can go on where the dataflow "
                                              "shard divides an indexed dataflow)") +
                           ", or start a new run with these weights in session_init"});
}

// Warns if the data have another size than when the checkpoint was saved: its cursors may then mean
// other points. With another number of ranks, each rank has another part.
void Checkpoints::compare_data_size(const store::Checkpoint& checkpoint) const {
  const auto& [counters, metadata] =
      std::tie(checkpoint.contents.counters, checkpoint.contents.metadata);
  const auto ranks = counters.find(kRanks);
  const auto saved = metadata.find(kDataSize);
  if (!run_.input || saved == metadata.end()) return;
  if (ranks != counters.end() && ranks->second != run_.ranks) return;
  const std::optional<int64_t> size = run_.input->size();
  if (!size || std::to_string(*size) == saved->second) return;
  base::warning(run_.input->describe() + " has " + std::to_string(*size) +
                " data points per round, and had " + saved->second +
                " when the checkpoint was saved: the resumed run continues, but its data may "
                "repeat or leave out points");
}

// Compares the fingerprint and warns about differences.
bool Checkpoints::has_fingerprint_of(const store::Checkpoint& checkpoint) const {
  bool same = true;
  for (const auto& [key, value] : run_.fingerprint) {
    const auto it = checkpoint.contents.metadata.find(key);
    if (it == checkpoint.contents.metadata.end() || it->second == value) continue;
    same = false;
    base::warning("the checkpoint was made with " + key + " " + it->second + ", this run has " +
                  value + ": the run continues, but not bit for bit");
  }
  return same;
}

void Checkpoints::restore(const fs::path& path, const RestoreOptions& options) {
  const auto weights = weights::open(path, options.key);
  Restoration restoration(run_, *weights, path.string(), options);
  restoration.load();
  run_.hypers->refresh();
  restoration.tell();
}

bool has_checkpoint(const fs::path& folder) {
  return fs::is_directory(folder) && store::latest_checkpoint(folder);
}

}  // namespace broch::session
