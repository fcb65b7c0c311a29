// log_dir.hpp: creates, backs up or reuses the log folder of a run; serves broch.log_dir/1.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "abi/context.hpp"
#include "base/clock.hpp"
#include "log_folder/folder_lock.hpp"

namespace broch::log_folder {

class LogDir {
 public:
  // What happens at a fresh start if the folder has content:
  //   backup  it is renamed to "{path}.MMDD-HHMMSS" (with -2, -3 … if that exists)
  //   keep    it is used as it is
  //   delete  its content is removed as soon as training begins
  //   new     "{path}-2", -3 … is used instead
  //   quit    base::Error (data)
  // resume: the folder must exist, and is used as it is. Opens log.log in the folder for appending;
  // unless resuming, an old log.log is renamed with a time stamp. Throws base::Error (data) if a
  // running process uses the folder, except with "new". An empty path: this process has no log
  // folder.
  LogDir(std::string path, const std::string& action, bool resume,
         const base::Clock& clock = base::system_clock());
  LogDir() = default;
  ~LogDir();
  LogDir(const LogDir&) = delete;
  LogDir& operator=(const LogDir&) = delete;

  // Called when training begins: from now on the folder stays.
  void keep();
  bool kept() const { return kept_; }
  // Called if the start fails before that. Removes what this start created and restores what was
  // there before; with "keep", files that were written in the meantime stay. Closes the log file;
  // afterwards there is no folder. What cannot be restored is only a warning.
  void take_back();

  bool exists() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  // Replaces a file atomically. name must not contain '/'.
  void write(const std::string& name, const std::string& text) const;
  // The same for a component, which may continue without the file. A failure is remembered until
  // writing this file succeeds. [any]
  void write_for_component(const std::string& name, const std::string& text);
  // Logs which files could not be written the last time, and returns whether there are any.
  bool tell_unwritten() const;

 private:
  void open(const std::string& action, const base::Clock& clock);
  void prepare(const std::string& action, const base::Clock& clock);
  void make_folder();
  void set_aside();
  void remove_what_was_made();

  std::string path_;
  FolderLock lock_;
  bool kept_ = false, opened_ = false;
  bool empty_ = false;  // was empty or missing at the start
  std::string made_;    // the topmost folder that was created; "": none
  std::string backup_;  // the new name of the old folder
  std::string aside_;   // where old content waits to be deleted
  std::string old_log_;
  mutable std::mutex mutex_;                      // for what follows
  std::map<std::string, std::string> unwritten_;  // reason by name
};

// Whether a run has written into the folder; tells by the files that every run creates first.
bool is_run(const std::filesystem::path& folder);

// Throws if a fresh start with this folder and action would. Changes nothing.
void check_log_dir(const std::string& path, const std::string& action);

// Serves broch.log_dir/1. REQUIRES: a LogDir is provided by the context.
void extend_with_log_dir(abi::Context& context);

}  // namespace broch::log_folder
