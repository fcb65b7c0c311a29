// posix.cpp: thin loops around system calls.
#include "posix.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace broch::store {

using base::Diagnostic;
using base::Error;
using base::Exit;

namespace {

// What the user can do about an error; "" if unknown.
std::string advice(int error) {
  switch (error) {
    case ENOSPC:
      return "free space on this file system, or choose a folder on another one";
    case EDQUOT:
      return "your disk quota is used up: remove files, or choose a folder elsewhere";
    case EFBIG:
      return "the limit on file size (ulimit -f) or of this file system is too small";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and of its folder";
    case EROFS:
      return "the file system is mounted read-only: choose a folder on another one";
    case EIO:
      return "the device reports an error: check it (dmesg) before you go on writing there";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    case ENOENT:
      return "check the path";
    default:
      return "";
  }
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

Fd::~Fd() { close(); }

int Fd::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

// Must not be repeated after EINTR: Linux has freed the descriptor by then.
int Fd::close() {
  const int fd = release();
  return fd < 0 ? 0 : ::close(fd);
}

void fail(Exit exit, const std::filesystem::path& path, const char* action, int error) {
  throw Error(exit, Diagnostic{path.string(),
                               std::string(action) + ": " + std::generic_category().message(error),
                               "", advice(error)});
}

Fd open_file(const std::filesystem::path& path, int flags, int mode) {
  int fd;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return Fd(fd);
}

Fd open_regular(const std::filesystem::path& path, uint64_t& size, Exit exit) {
  Fd fd = open_file(path, O_RDONLY | O_NONBLOCK);  // a FIFO must not block us
  if (!fd) fail(exit, path, "cannot be opened", errno);
  struct stat facts {};
  if (fstat(fd.get(), &facts) != 0) fail(exit, path, "cannot be examined", errno);
  if (!S_ISREG(facts.st_mode)) {
    throw Error(
        exit, Diagnostic{path.string(), S_ISDIR(facts.st_mode) ? "is a directory" : "is not a file",
                         "a regular file", "check the path"});
  }
  size = static_cast<uint64_t>(facts.st_size);
  return fd;
}

bool write_fully(int fd, const void* bytes, size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::write(fd, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;  // it wrote nothing and gave no reason
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool read_fully(int fd, void* bytes, size_t size, uint64_t offset) {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pread(fd, at, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = 0;
    if (count <= 0) return false;
    at += count;
    offset += static_cast<uint64_t>(count);
    size -= static_cast<size_t>(count);
  }
  return true;
}

}  // namespace broch::store
