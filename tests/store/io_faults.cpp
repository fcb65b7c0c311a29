// io_faults.cpp: wrappers around system calls.
#include "io_faults.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace broch::store {
namespace {

IoFault armed = IoFault::none;
int target = 0;
int error_number = 0;
int calls = 0;
bool is_nfs = false;

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Runs one call under the armed fault.
template <class Call>
long through(Call call) {
  if (armed == IoFault::none) return call();
  ++calls;
  const bool hit = calls == target;
  if (hit && armed == IoFault::kill_before) die();
  if ((hit && armed == IoFault::fail) || (calls >= target && armed == IoFault::fail_sticky)) {
    errno = error_number;
    return -1;
  }
  const long result = call();
  if (hit && armed == IoFault::kill_after) die();
  return result;
}

}  // namespace

void arm_io(IoFault fault, int nth, int error) {
  armed = fault;
  target = nth;
  error_number = error;
  calls = 0;
}

int disarm_io() {
  armed = IoFault::none;
  return calls;
}

void lock_as_nfs(bool on) { is_nfs = on; }

}  // namespace broch::store

using broch::store::IoFault;
using broch::store::through;

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = (flags & O_CREAT) ? va_arg(list, int) : 0;
  va_end(list);
  return static_cast<int>(
      through([&] { return syscall(SYS_openat, AT_FDCWD, path, flags, mode); }));
}

ssize_t write(int fd, const void* bytes, size_t size) {
  const bool halve = broch::store::armed == IoFault::short_write && size > 1;
  return through([&] { return syscall(SYS_write, fd, bytes, halve ? size / 2 : size); });
}

ssize_t pread(int fd, void* bytes, size_t size, off_t at) {
  return through([&] { return syscall(SYS_pread64, fd, bytes, size, at); });
}

int fsync(int fd) {
  return static_cast<int>(through([&] { return syscall(SYS_fsync, fd); }));
}

int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(
      through([&] { return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0); }));
}

int flock(int fd, int operation) noexcept {
  const bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
  if (broch::store::is_nfs && (operation & LOCK_EX) && !writes) {
    errno = EBADF;
    return -1;
  }
  return static_cast<int>(syscall(SYS_flock, fd, operation));
}

// The descriptor goes even when an error is reported, as on Linux.
int close(int fd) {
  const long closed = syscall(SYS_close, fd);
  return static_cast<int>(through([&] { return closed; }));
}

}  // extern "C"
