// folder_lock.cpp: flock on a folder.
#include "session/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace broch::session {

FolderLock::FolderLock(const std::string& folder)
    : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0 || flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(std::exchange(fd_, -1));
  throw base::Error(base::Exit::data,
                    base::Complaint{folder, "in use by another run", "a log folder of one's own",
                                    "wait until that run ends, or choose another log_dir"});
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace broch::session
