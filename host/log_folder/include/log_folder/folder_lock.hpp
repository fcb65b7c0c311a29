// folder_lock.hpp: lets only one process at a time use a folder.
#pragma once
#include <string>
#include <utility>

namespace broch::log_folder {

// An advisory lock on the folder itself. It ends with the process and leaves no file behind. If the
// file system does not support locks, nothing is locked.
class FolderLock {
 public:
  FolderLock() = default;
  // Throws base::Error (data) if another process or object holds the lock.
  explicit FolderLock(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FolderLock();

  // Whether a process holds the lock of the folder now.
  static bool is_held(const std::string& folder);

  // Whether this path is the locked folder. False if the locked folder was renamed or replaced.
  bool holds(const std::string& folder) const;

 private:
  int fd_ = -1;
};

}  // namespace broch::log_folder
