// run_folder.cpp: the log folder of a run, and what is written there besides checkpoints.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/command_line.hpp"
#include "base/error.hpp"
#include "base/inside.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "environment.hpp"
#include "log_folder/checkpoint_owner.hpp"
#include "session/preconditions.hpp"
#include "session/run.hpp"
#include "value/json.hpp"

namespace broch::session {
namespace {

constexpr const char* kResolved = "manifest.resolved.json";

// Sets a number in the manifest. place: pointer to an option of an entry that may have no "with"
// yet.
void say_at(value::Value& manifest, const std::string& place, double number) {
  const value::Origin origin = value::made_by("the checkpoint that was restored");
  const std::string options = place.substr(0, place.rfind('/'));
  if (!value::find_at(manifest, options))
    value::set_at(manifest, options, value::Value(value::Value::Object{}, origin));
  value::set_at(manifest, place, value::Value(number, origin));
}

std::filesystem::path canonical(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::weakly_canonical(path, error);
  return error ? path : found;
}

// How the log of a run begins, so that it can be started again.
void note_start() {
  std::error_code unknown;
  base::note("started in " + std::filesystem::current_path(unknown).string() + ": " +
             base::command_line());
}

// The folder in which a file has this name and, if that is a link, the one in which the file is.
std::vector<std::filesystem::path> folders_of(const std::string& file) {
  const std::string named_in = std::filesystem::absolute(file).parent_path().string();
  return {canonical(named_in), canonical(file).parent_path()};
}

// The folders with checkpoints of the run in a log folder that are not there, for example because
// their disk is not mounted.
std::vector<std::string> missing_folders(const std::string& log_dir) {
  std::vector<std::string> missing;
  const auto record = log_folder::read_record(log_dir);
  if (!record) return missing;
  for (const std::string& folder : record->checkpoint_folders)
    if (std::error_code unknown; !std::filesystem::is_directory(folder, unknown))
      missing.push_back(folder);
  return missing;
}

// Another one for each run, also for those that start at the same time.
std::string new_id() {
  std::random_device source;
  unsigned numbers[4];
  for (unsigned& number : numbers) number = source();
  return base::hexadecimal({reinterpret_cast<const char*>(numbers), sizeof numbers});
}

}  // namespace

void Run::open_log_dir() {
  const manifest::Manifest& manifest = setup_.manifest();
  const bool is_auto = options_.resume_path == "auto";
  std::vector<std::string> missing;
  if (is_auto || (options_.resume && options_.resume_path.empty()))
    missing = missing_folders(manifest.log_dir);
  if (is_auto) {
    require_steady_folder(manifest);
    const auto newest = newest_checkpoint(manifest);
    options_.resume = newest.has_value();
    options_.resume_path = newest ? newest->string() : "";
    if (options_.everyone) require_agreement(options_.resume ? "a checkpoint" : "no checkpoint");
  }
  if (options_.resume) resume_from_ = checkpoint_to_resume(manifest, options_.resume_path).string();
  if (!options_.writes || options_.rank != 0) return;
  require_utf8(manifest);
  log_dir_.emplace(options_.log_dir.empty() ? manifest.log_dir : options_.log_dir,
                   manifest.log_dir_action, options_.resume && !branches(), *options_.clock);
  note_start();
  for (const std::string& folder : missing)
    base::warning("the run in " + manifest.log_dir + " has saved checkpoints in " + folder +
                  ", which is not there: newer ones may be missing; is its disk mounted?");
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  record_.id = new_id();
  record_.host = host;
  record_.pid = getpid();
  record_.started = options_.clock->wall();
  if (!log_dir_->kept()) return;
  const auto before = log_folder::read_record(log_dir());
  if (!before) return;
  record_.checkpoint_folders = before->checkpoint_folders;
  if (!before->id.empty()) record_.id = before->id;
}

// A run that resumes from another folder's checkpoint is a branch, which has a log folder of its
// own. A saver may store checkpoints outside the log folder; those do not count as another folder.
// Nor does one to which a checkpoint was moved if its old name leads there.
bool Run::branches() const {
  const manifest::Manifest& manifest = setup_.manifest();
  const auto record = log_folder::read_record(manifest.log_dir);
  for (const std::filesystem::path& folder : folders_of(resume_from_)) {
    if (base::is_inside(folder, canonical(manifest.log_dir))) return false;
    if (record && std::ranges::count(record->checkpoint_folders, folder.string()) > 0) return false;
  }
  base::info("a branch of " + resume_from_ + " begins in " + manifest.log_dir);
  return true;
}

void Run::require_agreement(const std::string& found) const {
  const std::vector<std::string> all = options_.everyone->all_gather(found);
  if (found != all.front())
    throw base::Error(base::Exit::checkpoint,
                      {"resume: auto", found + " in " + setup_.manifest().log_dir + " on this rank",
                       all.front() + ", as on rank 0", "let all ranks see the same log folder"});
}

// The other ranks write their logs into the folder of rank 0.
void Run::open_log_of_rank() const {
  const std::string folder = options_.everyone->all_gather(log_dir()).front();
  if (options_.rank == 0 || folder.empty()) return;
  const std::string file = folder + "/rank" + std::to_string(options_.rank) + ".log";
  try {
    base::set_log_file(file);
    base::note("stats.json and event files have the metrics of rank 0, not those of this rank");
  } catch (const base::Error& error) {
    base::warning("this rank has no log file: " + std::string(error.what()));
  }
}

// Whether the manifest is the one that the log folder itself holds, resolved.
bool Run::begins_from_own_record() const {
  const manifest::Source& source = *setup_.manifest().source;
  const std::string name = std::filesystem::path(source.name).filename().string();
  return log_dir_->kept() &&
         canonical(source.folder + "/" + name) == canonical(log_dir() + "/" + kResolved);
}

// Writes the manifest as given, the resolved manifest, and what its text was made of. Called once
// the initial state is known, because the resolved manifest contains the hyper-parameters that
// training really began with, and the steps of an epoch that was cut. A run that continues from
// its own record keeps the manifest that was given first.
void Run::write_records() {
  manifest::Manifest manifest = setup_.manifest();
  for (const auto& [name, began] : changes_->began())
    for (const std::string& place : hyper_places_[name]) say_at(manifest.value, place, began);
  if (manifest.steps_per_epoch.most)
    manifest.value.set("steps_per_epoch",
                       value::Value(*count_steps(), value::made_by("--limit train or --overfit")));
  if (!begins_from_own_record()) {
    log_dir_->write("manifest.json", manifest.source->text);
    log_dir_->write("manifest.inputs.json", value::to_pretty_text(manifest.inputs()));
  }
  log_dir_->write(kResolved, manifest.resolved_text());
  value::Value::Object origins;
  for (auto& [pointer, origin] : manifest.origins())
    origins.push_back({pointer, {}, value::Value(std::move(origin))});
  log_dir_->write("manifest.origins.json", value::to_pretty_text(value::Value(std::move(origins))));
  write_plugins();
  write_environment(*log_dir_, *backend_);
  record_.resumed_from = resume_from_;
  note_settings();
}

// Records the current values of everything that can be set during the run.
void Run::note_settings() {
  if (!log_dir_) return;
  record_.settings = changes_->settable();
  record_.not_as_in_manifest = changes_->not_as_written();
  write_record(*log_dir_, record_);
}

// Records where the checkpoints are, so that a later start knows even if this run is killed, and
// there, whose they are. Another working folder, or a link that changes, makes no difference. Only
// another run can have marked the log folder.
bool Run::note_checkpoint_folder(const std::string& folder) {
  if (!log_dir_) return false;
  const auto whole = [](const std::string& path) {
    return canonical(std::filesystem::absolute(path).string()).string();
  };
  const std::string place = whole(folder), own = whole(log_dir());
  const auto before = log_folder::read_owner(place);
  if (place == own && !before) return false;
  if (place != own) add_checkpoint_folder(place);
  log_folder::write_owner(place, {record_.id, own});
  return before && before->run != record_.id;
}

void Run::add_checkpoint_folder(const std::string& place) {
  log_folder::RunRecord record = record_;
  if (std::ranges::count(record.checkpoint_folders, place) > 0) return;
  record.checkpoint_folders.push_back(place);
  write_record(*log_dir_, record);
  record_.checkpoint_folders = std::move(record.checkpoint_folders);
}

// Records whose code runs. The list is complete once plans are sealed, since that may create
// instances.
void Run::write_plugins() const {
  value::Value::Array list;
  for (const plugins::Identity& identity : instances_->identities()) {
    value::Value entry{value::Value::Object{}};
    entry.set("id", value::Value(identity.id));
    entry.set("version", value::Value(identity.version));
    entry.set("file", value::Value(identity.file));
    entry.set("xxh128", value::Value(identity.xxh128));
    entry.set("build_id", value::Value(identity.build_id));
    list.push_back(std::move(entry));
  }
  log_dir_->write("plugins.json", value::to_pretty_text(value::Value(std::move(list))));
}

bool Run::leaves_log_dir(base::Exit exit) const {
  return log_dir_ && (log_dir_->kept() || exit == base::Exit::ok || exit == base::Exit::saved);
}

void Run::write_end(base::Exit exit) {
  record_.ended = options_.clock->wall();
  record_.exit = int64_t(exit);
  try {
    write_record(*log_dir_, record_);
  } catch (const base::Error& error) {
    base::warning("the end of the run could not be recorded: " + std::string(error.what()));
  }
}

// Logs which files could not be written, and returns whether there are any.
bool Run::tell_unwritten() const {
  const bool lacks_checkpoints = checkpoints_->tell_missing();
  return (log_dir_ && log_dir_->tell_unwritten()) || lacks_checkpoints;
}

}  // namespace broch::session
