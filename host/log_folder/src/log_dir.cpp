// log_dir.cpp: what happens to an existing folder, and the extension broch.log_dir/1.
#include "log_folder/log_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/serve.hpp"
#include "base/error.hpp"
#include "base/inside.hpp"
#include "base/log.hpp"
#include "broch/ext/log_dir.h"
#include "store/atomic_file.hpp"

namespace broch::log_folder {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAside = ".broch-old";  // inside the log folder

[[noreturn]] void fail(const std::string& place, const std::string& found,
                       const std::string& next = "") {
  throw base::Error(base::Exit::data, base::Diagnostic{place, found, "", next});
}

bool has_content(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_empty(path, error) && !error;
}

// No folder can be made below a file.
void require_folders_above(const std::string& path) {
  std::error_code error;
  fs::path above = fs::path(path).parent_path();
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  if (!above.empty() && fs::is_regular_file(above, error))
    fail(path, above.string() + " is no folder", "choose another log_dir");
}

// path or, if it exists, path with "-2", "-3" …
fs::path free_name(const fs::path& path) {
  fs::path name = path;
  for (int number = 2; fs::exists(name); ++number)
    name = path.string() + "-" + std::to_string(number);
  return name;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    entries.push_back(entry.path());
  return entries;
}

// Takes the lock of a folder, unless it is in use or has content by now.
bool lock_empty(const std::string& folder, FolderLock& lock) {
  try {
    FolderLock taken(folder);
    if (has_content(folder)) return false;
    lock = std::move(taken);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// Refuses "." and folders around it, which must not be renamed or emptied: the run reads from
// there.
void require_no_own_files(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(path, error);
  const fs::path here = fs::current_path(error);
  if (base::is_inside(here, folder))
    fail(path, "the log folder is the working directory, or holds it",
         "choose a folder of its own, such as train_log/name");
}

}  // namespace

bool is_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "log.log", error) || fs::exists(folder / "manifest.json", error);
}

void check_log_dir(const std::string& path, const std::string& action) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error) && action != "new")
    fail(path, "the log folder is a file", "choose another log_dir");
  require_folders_above(path);
  if (!has_content(path) || action == "keep" || action == "new") return;
  if (action == "quit")
    fail(path, "the log folder has content and log_dir_action is quit",
         "choose another log_dir, or log_dir_action=backup, keep, delete or new");
  require_no_own_files(path);
  // A start that was killed may have left old content aside, and no log yet.
  if (action == "delete" && !is_run(path) && !fs::exists(fs::path(path) / kAside, error))
    fail(path, "log_dir_action is delete, and the folder holds files of no run (no log.log)",
         "choose another log_dir, or empty the folder yourself");
}

LogDir::LogDir(std::string path, const std::string& action, bool resume,
               const base::Clock& clock) try {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (resume && !fs::is_directory(path))
    fail(path, "no such folder to resume from", "start without --resume");
  kept_ = resume;
  path_ = path;
  try {
    open(action, clock);
  } catch (...) {
    take_back();
    throw;
  }
} catch (const fs::filesystem_error& error) {
  fail(path, error.code().message(), "check the folder's owner, rights and free space");
}

void LogDir::open(const std::string& action, const base::Clock& clock) {
  if (action != "new" || kept_) {
    make_folder();
    lock_ = FolderLock(path_);
  }
  if (!kept_) prepare(action, clock);
  make_folder();
  // The old folder stays locked until the new one is. Another process may have made the new one
  // meanwhile; then its lock decides.
  if (!lock_.holds(path_)) lock_ = FolderLock(path_);
  const fs::path log = fs::path(path_) / "log.log";
  if (!kept_ && fs::exists(log)) {
    const fs::path old = free_name(log.string() + "." + base::file_stamp(clock.wall()));
    fs::rename(log, old);
    old_log_ = old;
  }
  store::remove_leftovers(path_);
  base::set_log_file(log.string());
  opened_ = true;
}

LogDir::~LogDir() {
  if (exists()) base::set_log_file("");
}

void LogDir::prepare(const std::string& action, const base::Clock& clock) {
  const std::string path = path_;
  empty_ = !has_content(path);
  check_log_dir(path, action);
  if (action == "new") {
    if (!empty_) path_ = free_name(path);
    make_folder();
    // Of several starts at the same time, one gets the folder; the others choose again.
    while (!lock_empty(path_, lock_)) {
      path_ = free_name(path);
      make_folder();
    }
    empty_ = true;
    return;
  }
  if (empty_ || action == "keep") return;
  if (action == "delete") return set_aside();
  const fs::path backup = free_name(path + "." + base::file_stamp(clock.wall()));
  fs::rename(path, backup);
  backup_ = backup;
  base::info("the log folder " + path + " had content: renamed to " + backup_);
}

void LogDir::make_folder() {
  if (const fs::path made = store::create_folders(path_); !made.empty()) made_ = made.string();
}

// Moves the content into a subfolder, because the folder itself may not allow renaming.
void LogDir::set_aside() {
  const std::vector<fs::path> content = entries_of(path_);
  aside_ = free_name(fs::path(path_) / kAside);
  fs::create_directory(aside_);
  for (const fs::path& entry : content) fs::rename(entry, fs::path(aside_) / entry.filename());
}

void LogDir::keep() {
  if (std::exchange(kept_, true) || aside_.empty()) return;
  std::error_code error;
  fs::remove_all(aside_, error);
  if (error) base::warning(aside_ + " cannot be deleted: " + error.message());
}

void LogDir::take_back() {
  if (!exists() || kept_) return;
  base::set_log_file("");
  try {
    remove_what_was_made();
    if (!aside_.empty()) {
      for (const fs::path& entry : entries_of(aside_))
        fs::rename(entry, fs::path(path_) / entry.filename());
      fs::remove(aside_);
    }
    if (!backup_.empty() && !fs::exists(path_)) {
      fs::rename(backup_, path_);
      base::info(path_ + " is as it was before");
    }
    if (!old_log_.empty()) fs::rename(old_log_, fs::path(path_) / "log.log");
  } catch (const fs::filesystem_error& error) {
    base::warning("not everything that this start created could be removed: " +
                  std::string(error.what()));
  }
  path_.clear();
  lock_ = FolderLock();
}

// Removes everything if there was nothing before, otherwise only log.log. Without the lock, the
// folder is that of another run.
void LogDir::remove_what_was_made() {
  if (!lock_.holds(path_)) return;
  if (!made_.empty()) {
    fs::remove_all(path_);
    std::error_code error;  // a parent folder may have other content by now
    for (fs::path at = path_; at.string().size() > made_.size() && !made_.empty();
         fs::remove(at, error))
      at = at.parent_path();
  } else if (!opened_) {
    return;  // the content is not from this start
  } else if (!aside_.empty() || empty_) {
    for (const fs::path& entry : entries_of(path_))
      if (entry != aside_) fs::remove_all(entry);
  } else {
    fs::remove(fs::path(path_) / "log.log");
  }
}

void LogDir::write(const std::string& name, const std::string& text) const {
  store::write_atomically(fs::path(path_) / name, text);
}

void LogDir::write_for_component(const std::string& name, const std::string& text) try {
  write(name, text);
  const std::lock_guard lock(mutex_);
  unwritten_.erase(name);
} catch (const base::Error& error) {
  const std::lock_guard lock(mutex_);
  unwritten_[name] = error.what();
  throw;
}

bool LogDir::tell_unwritten() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, why] : unwritten_) base::error(name + " was not written: " + why);
  return !unwritten_.empty();
}

namespace {

LogDir& folder(abi::Instance& instance) {
  LogDir* dir = instance.context().find<LogDir>();
  if (!dir || !dir->exists())
    throw abi::CallError(BROCH_E_FAILED_PRECONDITION, "this process has no log directory");
  return *dir;
}

// What the host writes there. A log that is replaced would go on in a file without a name.
bool is_of_the_run(std::string_view name) {
  static constexpr std::string_view kFiles[] = {
      "checkpoint",           "control.sock",  "environment.json",      "log.log",
      "manifest.inputs.json", "manifest.json", "manifest.origins.json", "manifest.resolved.json",
      "plugins.json",         "run.json"};
  return std::ranges::find(kFiles, name) != std::end(kFiles) ||
         (name.starts_with("rank") && name.ends_with(".log"));
}

void check_name(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    throw abi::CallError(BROCH_E_INVALID_ARGUMENT,
                         "'" + name + "' is no file name: a name without '/' was expected");
}

constexpr const char* kPath = "broch.log_dir/1 path";
constexpr const char* kWrite = "broch.log_dir/1 write_file";
constexpr const char* kRead = "broch.log_dir/1 read_file";

broch_status path(const broch_host* host, const char** path) {
  return abi::serve(host, kPath, abi::kAnyRole, [&](abi::Instance& instance) {
    abi::given(path, kPath, "path");
    const LogDir* dir = instance.context().find<LogDir>();
    if (!dir || !dir->exists()) return BROCH_NONE;
    *path = dir->path().c_str();
    return BROCH_OK;
  });
}

broch_status write_file(const broch_host* host, const char* name, const void* bytes,
                        uint64_t size) {
  return abi::serve(host, kWrite, abi::kAnyRole, [&](abi::Instance& instance) {
    check_name(abi::given(name, kWrite, "name"));
    if (is_of_the_run(name))
      throw abi::CallError(BROCH_E_INVALID_ARGUMENT,
                           "'" + std::string(name) +
                               "' is a file that the run itself writes: another name was expected");
    if (size) abi::given(bytes, kWrite, "bytes");
    const std::string_view content(size ? static_cast<const char*>(bytes) : "", size);
    folder(instance).write_for_component(name, std::string(content));
    return BROCH_OK;
  });
}

broch_status read_file(const broch_host* host, const char* name, const broch_writer* content) {
  return abi::serve(host, kRead, abi::Role::main, [&](abi::Instance& instance) {
    check_name(abi::given(name, kRead, "name"));
    abi::given(content, kRead, "content");
    const std::string file = folder(instance).path() + "/" + name;
    std::error_code error;
    if (fs::exists(file, error) && !fs::is_regular_file(file, error))
      throw abi::CallError(BROCH_E_DATA_LOSS, file + ": it is no regular file");
    std::ifstream in(file, std::ios::binary);
    if (!in) throw abi::CallError(BROCH_E_NOT_FOUND, file + ": no such file");
    std::ostringstream text;
    text << in.rdbuf();
    const std::string bytes = text.str();
    return content->write(content->context, bytes.data(), bytes.size());
  });
}

constexpr broch_host_log_dir kTable = {sizeof(broch_host_log_dir), 0, &path, &write_file,
                                       &read_file};

}  // namespace

void extend_with_log_dir(abi::Context& context) { context.extend(BROCH_EXT_LOG_DIR, &kTable); }

}  // namespace broch::log_folder
