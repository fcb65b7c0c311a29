// folder_lock.hpp: a folder that one process at a time may use.
#pragma once
#include <string>
#include <utility>

namespace broch::session {

// An advisory lock of the folder itself: it ends with the process and leaves no file behind. Where
// the file system has no locks it holds nothing.
class FolderLock {
 public:
  FolderLock() = default;
  // Throws base::Error (data) when another process, or another object, holds it.
  explicit FolderLock(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FolderLock();

  // Whether some process holds it now.
  static bool is_held(const std::string& folder);

  // Whether this is the folder that is held; false when it was renamed, or made anew.
  bool holds(const std::string& folder) const;

 private:
  int fd_ = -1;
};

}  // namespace broch::session
