// sweep.cpp: from a SWEEP.json and what is in its folder to results.
#include "sweep/sweep.hpp"

#include <algorithm>
#include <filesystem>

#include "base/log.hpp"
#include "base/noun.hpp"
#include "log_folder/folder_lock.hpp"
#include "manifest/manifest.hpp"
#include "planned.hpp"
#include "precheck.hpp"
#include "runner.hpp"
#include "store/atomic_file.hpp"

namespace broch::sweep {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const Spec& spec, const std::string& found, const std::string& expected,
                         const std::string& hint) {
  base::fail(base::Exit::data, spec.folder, found, expected, hint);
}

constexpr const char* kOtherFolder = "choose another \"folder\", or remove this one";

void make_folder(const Spec& spec) {
  std::string why = "no folder";
  try {
    store::create_folders(spec.folder);
  } catch (const fs::filesystem_error& error) {
    why = error.code().message();
  }
  if (!fs::is_directory(spec.folder))
    refuse(spec, why, "a folder for the sweep", "choose another \"folder\"");
}

log_folder::FolderLock locked(const Spec& spec) try {
  return log_folder::FolderLock(spec.folder);
} catch (const base::Error&) {
  refuse(spec, "in use by another run", "a folder of its own",
         "wait until that sweep ends, or choose another \"folder\"");
}

void require_own_folder(const Spec& spec) {
  store::remove_leftovers(spec.folder);
  if (!fs::exists(record_file(spec)) && !fs::is_empty(spec.folder))
    refuse(spec, "files that are of no sweep", "an empty folder", kOtherFolder);
}

// The trials that are planned now, with what is known of those that were planned before.
std::vector<Trial> joined(const Spec& spec, std::vector<Trial> planned,
                          std::vector<Trial> recorded) {
  if (spec.method.kind == Method::Kind::command) {
    for (const Trial& trial : recorded)
      if (trial.id.is_null())
        refuse(spec, "trial " + std::to_string(trial.number) + ", which no program has chosen",
               "trials of a program, as the sweep says now", kOtherFolder);
    return recorded;
  }
  if (recorded.size() > planned.size())
    refuse(spec, base::counted(int64_t(recorded.size()), "trial") + " of an earlier start",
           "no more than the sweep has now, " + std::to_string(planned.size()), kOtherFolder);
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (!(recorded[i].parameters == planned[i].parameters))
      refuse(spec, "trial " + std::to_string(i + 1) + " with " + describe(recorded[i].parameters),
             describe(planned[i].parameters) + ", as the sweep says now", kOtherFolder);
    planned[i] = std::move(recorded[i]);
  }
  return planned;
}

Record record_for(const Spec& spec, const Options& options, const std::string& checksum) {
  Record record{checksum, planned_trials(spec)};
  std::optional<Record> earlier = read_record(spec);
  if (!earlier) return record;
  if (earlier->checksum != checksum)
    refuse(spec, "trials of another manifest, or with other overrides",
           spec.manifest + " as it was when they were trained", kOtherFolder);
  record.trials = joined(spec, std::move(record.trials), std::move(earlier->trials));
  for (Trial& trial : record.trials) {
    const bool has_failed = trial.exit && (*trial.exit != 0 || trial.values.empty());
    if (options.retry && has_failed) trial.exit.reset();
  }
  return record;
}

std::vector<Result> results_of(const Spec& spec, const std::vector<Trial>& trials,
                               const std::vector<Decision>& decisions,
                               const std::vector<bool>& running) {
  std::vector<Result> results;
  for (size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    Result& result = results.emplace_back();
    result.trial = trial.number;
    result.id = trial.id;
    result.parameters = trial.parameters;
    result.state = state_of(trial, decisions[i], running[i]);
    result.epochs = last_epoch_of(trial, decisions[i]);
    result.value = trial.value(spec, result.epochs);
    result.seconds = trial.seconds;
    result.exit = trial.exit;
    result.log_dir = trial.log_dir(spec);
    if (result.state == "failed" && trial.exit == 0) result.why = trial.why;
  }
  std::ranges::stable_sort(results, [&spec](const Result& a, const Result& b) {
    if (!a.value || !b.value) return a.value && !b.value;
    return spec.better(*a.value, *b.value);
  });
  return results;
}

}  // namespace

Outcome run(const Spec& spec, const Options& options) {
  const Checked checked = precheck(spec, options.plugin_path);
  (void)planned_trials(spec);  // before a folder is made
  make_folder(spec);
  const log_folder::FolderLock lock = locked(spec);
  require_own_folder(spec);
  Runner runner(spec, {options.plugin_path, options.runtime},
                record_for(spec, options, checked.checksum), rungs_of(spec, checked.max_epoch));
  Outcome outcome;
  outcome.exit = runner.run();
  outcome.results = results_of(spec, runner.trials(), runner.decisions(),
                               std::vector<bool>(runner.trials().size()));
  return outcome;
}

Outcome show(const Spec& spec) {
  std::optional<Record> record = read_record(spec);
  if (!record)
    refuse(spec, "no sweep.json", "the folder of a sweep that was started",
           "start it without --show");
  const int64_t max_epoch = manifest::load(spec.manifest, spec.overrides).max_epoch;
  std::vector<bool> running;
  for (const Trial& trial : record->trials) running.push_back(is_running(spec, trial));
  Outcome outcome;
  outcome.results = results_of(spec, record->trials,
                               decide(record->trials, rungs_of(spec, max_epoch), spec), running);
  return outcome;
}

}  // namespace broch::sweep
