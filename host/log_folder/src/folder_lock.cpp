// folder_lock.cpp: flock on a folder.
#include "log_folder/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/error.hpp"

namespace broch::log_folder {

namespace {

int open_folder(const std::string& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// Tries several times, because is_held also takes the lock for a moment. Returns false, with errno
// set, if the lock stays taken.
bool lock(int fd) {
  constexpr int kTries = 5;
  for (int i = 1; flock(fd, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK || i == kTries) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace

// Another run may rename the folder between open and flock; then the path is opened again.
FolderLock::FolderLock(const std::string& folder) {
  do {
    if (fd_ >= 0) close(fd_);
    fd_ = open_folder(folder);
    if (fd_ < 0) return;
    if (lock(fd_) || errno != EWOULDBLOCK) continue;
    close(std::exchange(fd_, -1));
    throw base::Error(base::Exit::data,
                      base::Diagnostic{folder, "in use by another run", "a log folder of one's own",
                                       "wait until that run ends, or choose another log_dir"});
  } while (!holds(folder));
}

bool FolderLock::is_held(const std::string& folder) {
  const int fd = open_folder(folder);
  if (fd < 0) return false;
  const bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return held;
}

bool FolderLock::holds(const std::string& folder) const {
  struct stat held {
  }, named{};
  return fd_ >= 0 && fstat(fd_, &held) == 0 && stat(folder.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace broch::log_folder
