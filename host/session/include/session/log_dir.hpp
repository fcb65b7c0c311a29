// log_dir.hpp: the folder of a run: made, backed up, continued; and broch.log_dir/1.
#pragma once
#include <filesystem>
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
  //   delete  its content is removed
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

  bool exists() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  // Replaces a file, all or nothing; name has no '/'.
  void write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
  FolderLock lock_;
};

// What a run wrote into, by the files that each begins with.
bool is_run(const std::filesystem::path& folder);

// Serves broch.log_dir/1. REQUIRES: the context provides a LogDir.
void extend_with_log_dir(abi::Context& context);

}  // namespace broch::session
