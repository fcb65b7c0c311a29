// log_dir.hpp: the folder of a run: made, backed up, continued; and broch.log_dir/1.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "abi/context.hpp"
#include "base/clock.hpp"
#include "session/folder_lock.hpp"

namespace broch::session {

class LogDir {
 public:
  // What happens to a folder that has content, for a fresh start:
  //   backup  it is renamed to "{path}.MMDD-HHMMSS" (and -2, -3 …)
  //   keep    used as it is
  //   delete  its content is removed, once the start is known to have worked
  //   new     "{path}-2", -3 … is used instead
  //   quit    an error (data)
  // resume: used as it is; missing is an error. Opens log.log in it for appending, an old one is
  // renamed with a stamp unless resuming. A folder that a living run uses is an error (data), but
  // for new. "" : this process has no folder.
  LogDir(std::string path, const std::string& action, bool resume,
         const base::Clock& clock = base::system_clock());
  LogDir() = default;
  ~LogDir();
  LogDir(const LogDir&) = delete;
  LogDir& operator=(const LogDir&) = delete;

  // Training begins: the folder stays.
  void keep();
  bool kept() const { return kept_; }
  // A start that failed before: what it made goes, and what was there is there again. Closes the
  // log file; from now on there is no folder. What cannot be done is a warning.
  void take_back();

  bool exists() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  // Replaces a file, all or nothing; name has no '/'.
  void write(const std::string& name, const std::string& text) const;
  // The same for a component, which may go on without; that it failed is kept in mind until it
  // succeeds.
  void write_for_component(const std::string& name, const std::string& text);
  // Says what could not be written the last time; whether there is nothing of that.
  bool complete() const;

 private:
  void open(const std::string& action, const base::Clock& clock);
  void prepare(const std::string& action, const base::Clock& clock);
  void make_folder();
  void set_aside();
  void remove_what_was_made();

  std::string path_;
  FolderLock lock_;
  bool kept_ = false, opened_ = false;
  bool empty_ = false;  // at the start, or not there
  std::string made_;    // the topmost folder that this start made; "": none
  std::string backup_;  // what the folder was renamed to
  std::string aside_;   // where its content waits to be deleted
  std::string old_log_;
  std::map<std::string, std::string> unwritten_;  // by name: why
};

// What a run wrote into, by the files that each begins with.
bool is_run(const std::filesystem::path& folder);

// Refuses what a fresh start would refuse of a folder and an action. Changes nothing.
void check_log_dir(const std::string& path, const std::string& action);

// Serves broch.log_dir/1. REQUIRES: the context provides a LogDir.
void extend_with_log_dir(abi::Context& context);

}  // namespace broch::session
