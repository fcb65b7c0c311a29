// checkpoints.cpp: where checkpoints are saved, which are kept, and what they are made of.
#include "session/checkpoints.hpp"

#include <unistd.h>

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "checkpoint_variables.hpp"
#include "restoration.hpp"
#include "resumption.hpp"
#include "run_contents.hpp"
#include "store/adopted_checkpoint.hpp"
#include "store/atomic_file.hpp"

namespace broch::session {

namespace fs = std::filesystem;

Checkpoints::Checkpoints(std::string default_folder, const base::Clock& clock)
    : default_folder_(std::move(default_folder)), clock_(clock) {}

void Checkpoints::rehearse(const std::string& default_folder) {
  default_folder_ = default_folder;
  scratch_.emplace("broch-rehearsal");
}

std::string Checkpoints::folder_or_default(const char* folder) {
  const std::string asked = folder && *folder ? folder : default_folder_;
  if (asked.empty())
    throw base::Error(base::Exit::data,
                      base::Diagnostic{"checkpoints", "this process has no log directory",
                                       "a folder to save in", "set checkpoint_dir"});
  const std::string& first = first_spelling(asked);
  return scratch_ ? rehearsed(first) : first;
}

// One folder may be written in several ways: "log/", or through a link.
const std::string& Checkpoints::first_spelling(const std::string& folder) {
  const fs::path absolute = fs::absolute(folder);
  std::error_code error;
  fs::path real = fs::weakly_canonical(absolute, error);
  if (error) real = absolute.lexically_normal();
  if (!real.has_filename()) real = real.parent_path();
  return spellings_.try_emplace(real, folder).first->second;
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

void Checkpoints::retain(const abi::Instance& instance, const std::string& folder,
                         store::KeepPolicy policy) {
  // A run that writes nothing (plan, eval) has no folder and needs no policy.
  if (folder.empty() && default_folder_.empty()) return;
  const std::string target = folder_or_default(folder.c_str());
  const store::KeepPolicy before = policy_of(target);
  const bool differs = policy.max_to_keep != before.max_to_keep ||
                       policy.keep_every_n_hours != before.keep_every_n_hours;
  const abi::Instance* const other = std::exchange(retained_by_[target], &instance);
  if (other && other != &instance && differs)
    base::warning(other->name() + " and " + instance.name() +
                  " save in one folder but keep different checkpoints: what " + instance.name() +
                  " keeps applies to both; set another checkpoint_dir");
  policy.keep_every_n_steps = before.keep_every_n_steps;
  keep(target, policy);
}

void Checkpoints::retain_steps(const std::string& folder, int64_t n) {
  if (folder.empty() && default_folder_.empty()) return;
  const std::string target = folder_or_default(folder.c_str());
  store::KeepPolicy policy = policy_of(target);
  policy.keep_every_n_steps = n;
  keep(target, policy);
}

// Where no component has said what is kept, nothing is deleted.
store::KeepPolicy Checkpoints::policy_of(const std::string& target) const {
  if (const auto found = policies_.find(target); found != policies_.end()) return found->second;
  store::KeepPolicy all;
  all.max_to_keep = std::numeric_limits<int>::max();  // with 0, only the newest one is listed
  return all;
}

// The hours of another period count from now.
void Checkpoints::keep(const std::string& target, store::KeepPolicy policy) {
  const auto [at, is_new] = policies_.try_emplace(target);
  store::KeepPolicy& known = at->second;
  const bool counts_anew = is_new || policy.keep_every_n_hours != known.keep_every_n_hours;
  policy.hours_since = counts_anew ? clock_.monotonic() : known.hours_since;
  known = policy;
  if (const auto& list = lists_[target]) list->keep(policy);
}

namespace {

// Another run would replace the checkpoints of this one.
log_folder::FolderLock locked(const std::string& folder) try {
  return log_folder::FolderLock(folder);
} catch (const base::Error&) {
  throw base::Error(base::Exit::data,
                    base::Diagnostic{folder, "in use by another run, which saves there",
                                     "a folder of this run alone", "set another checkpoint_dir"});
}

// Of a list that cannot be understood, CheckpointList tells.
std::vector<std::string> names_listed(const std::string& folder) {
  try {
    return store::read_checkpoint_names(folder);
  } catch (const base::Error&) {
    return {};
  }
}

// others: what happens to those with other names. option: the one to change.
void warn_of_earlier_run(const std::string& folder, const std::string& others,
                         const std::string& option) {
  const std::vector<std::string> names = names_listed(folder);
  if (names.empty()) return;
  base::warning(folder + " has checkpoints of an earlier run, up to " + names.back() +
                ": this run replaces those with the same names and " + others + "; set another " +
                option + " to leave them alone");
}

}  // namespace

log_folder::FolderLock Checkpoints::open_folder(const std::string& folder) {
  try {
    store::create_folders(folder);
  } catch (const fs::filesystem_error& error) {
    throw base::Error(base::Exit::data,
                      base::Diagnostic{folder, "cannot be created: " + error.code().message(),
                                       "a folder to save in", "set another checkpoint_dir"});
  }
  const bool is_log_folder = !default_folder_.empty() && folder == folder_or_default("");
  log_folder::FolderLock lock;  // the log folder has one of its own
  if (!is_log_folder) lock = locked(folder);
  const bool was_taken = run_.before_first_in && run_.before_first_in(folder);
  if (was_taken || !run_.progress->resumed)
    warn_of_earlier_run(folder, "deletes the others beyond max_to_keep",
                        is_log_folder ? "log_dir_action" : "checkpoint_dir");
  return lock;
}

void Checkpoints::adopt(const fs::path& path, const std::string& name) {
  const std::string folder = folder_or_default("");
  warn_of_earlier_run(folder, "does not list the others any more", "log_dir_action");
  store::adopt_checkpoint(path, folder, name);
}

store::CheckpointList& Checkpoints::list(const std::string& folder) {
  auto& list = lists_[folder];
  if (!list) {
    log_folder::FolderLock lock = open_folder(folder);
    list = std::make_unique<store::CheckpointList>(folder, policy_of(folder), clock_);
    locks_.push_back(std::move(lock));
  }
  return *list;
}

void Checkpoints::select(const std::string& folder, uint32_t flags) {
  if (folder.empty() && default_folder_.empty()) return;
  const std::string target = folder_or_default(folder.c_str());
  if (!default_folder_.empty() && target == folder_or_default(""))
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
  const auto flags = selected_.find(target);
  fs::path path;
  if (flags != selected_.end()) {
    path = save_selected(target, flags->second);
  } else {
    const RunContents run(run_);
    path = list(target).save(store::checkpoint_name(run_.progress->global_step), run.contents());
  }
  unsaved_.erase(target);
  if (was_resumed_in(target)) resumed_.reset();
  return path;
}

bool Checkpoints::was_resumed_in(const std::string& folder) const {
  std::error_code unknown;
  return resumed_ && fs::equivalent(resumed_->path.parent_path(), folder, unknown);
}

std::optional<Checkpoints::Newest> Checkpoints::newest_in(const std::string& folder) const {
  if (was_resumed_in(folder)) return resumed_;
  const auto found = store::latest_checkpoint(folder);
  if (!found) return std::nullopt;
  return Newest{*found, step_of(*found)};
}

Resumed Checkpoints::resume(const fs::path& path) {
  Resumed resumed = Resumption(run_, path).load();
  std::error_code unknown;
  resumed_ = {fs::weakly_canonical(path, unknown), int64_t(run_.hypers->get("global_step"))};
  return resumed;
}

void Checkpoints::restore(const fs::path& path, const RestoreOptions& options) {
  const auto weights = weights::open(path, options.key);
  Restoration restoration(run_, *weights, path.string(), options);
  restoration.load();
  run_.hypers->refresh();
  restoration.tell();
}

}  // namespace broch::session
