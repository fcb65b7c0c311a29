// atomic_file.cpp: temporary name, fsync, read back, rename, fsync of the folder.
#include "store/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "base/checksum.hpp"
#include "base/new_file.hpp"
#include "posix.hpp"

namespace broch::store {

namespace fs = std::filesystem;
using base::Diagnostic;
using base::Error;
using base::Exit;

namespace {

constexpr std::string_view kPrefix = ".broch-tmp-";
constexpr size_t kBlock = 1 << 20;

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// The file to replace: if the target is a link, the file it points to. Refuses devices and pipes,
// because rename would turn them into regular files.
fs::path replaceable(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(Exit::data,
                Diagnostic{target.string(),
                           fs::is_directory(status) ? "is a directory" : "is a device or a pipe",
                           "a regular file or a new name", "choose another name"});
  }
  const bool leads_on = fs::is_symlink(fs::symlink_status(target, error)) && fs::exists(status);
  return leads_on ? fs::canonical(target) : target;
}

// Unique among threads and processes of this machine; O_EXCL detects a clash nevertheless.
std::string temporary_name() {
  static std::atomic<unsigned> count{0};
  return std::string(kPrefix) + std::to_string(getpid()) + "-" + std::to_string(count++);
}

// Whether the locked file still has its name: remove_leftovers may have removed it between opening
// and locking.
bool still_named(int fd) {
  struct stat facts {};
  return fstat(fd, &facts) == 0 && facts.st_nlink > 0;
}

}  // namespace

struct AtomicFile::Temporary {
  fs::path path;
  Fd fd;
};

// The lock tells remove_leftovers() that a living process writes this file.
AtomicFile::AtomicFile(const fs::path& target) : target_(replaceable(target)) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fs::path path = folder_of(target_) / temporary_name();
    Fd fd = open_file(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (!fd && errno == EEXIST) continue;
    if (!fd) fail("cannot be written");
    flock(fd.get(), LOCK_EX | LOCK_NB);  // may fail if the file system has no locks
    if (!still_named(fd.get())) continue;
    temporary_ = std::make_unique<Temporary>(Temporary{std::move(path), std::move(fd)});
    return;
  }
  errno = EEXIST;
  fail("cannot be written");
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (temporary_) ::unlink(temporary_->path.c_str());
  temporary_.reset();
}

void AtomicFile::fail(const char* action) {
  const int error = errno;
  discard();
  store::fail(Exit::data, target_, action, error);
}

void AtomicFile::write(const void* bytes, size_t size) {
  if (!write_fully(temporary_->fd.get(), bytes, size)) fail("cannot be written");
  size_ += size;
  crc_ = base::crc32c(bytes, size, crc_);
}

// A failed fsync is never repeated: the kernel may have dropped the pages it could not write, and
// would report success the second time.
void AtomicFile::prepare() {
  if (::fsync(temporary_->fd.get()) != 0) fail("cannot be made durable");
  verify();
  prepared_ = true;
}

void AtomicFile::commit() {
  if (!prepared_) prepare();
  if (::rename(temporary_->path.c_str(), target_.c_str()) != 0) fail("cannot be replaced");
  const int closed = temporary_->fd.close();
  temporary_.reset();
  if (closed != 0) fail("cannot be closed");
  if (!make_durable(folder_of(target_))) fail("cannot be made durable in its folder");
}

// Reads from the device, if the kernel drops its cached pages as advised.
void AtomicFile::verify() {
  const int fd = temporary_->fd.get();
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  std::vector<char> block(std::min<uint64_t>(kBlock, size_));
  uint32_t crc = 0;
  for (uint64_t at = 0; at < size_; at += block.size()) {
    const size_t size = std::min<uint64_t>(block.size(), size_ - at);
    if (!read_fully(fd, block.data(), size, at)) {
      if (errno == 0) errno = EIO;
      fail("cannot be read back");
    }
    crc = base::crc32c(block.data(), size, crc);
  }
  if (crc == crc_) return;
  discard();
  throw Error(Exit::data,
              Diagnostic{target_.string(), "what was read back differs from what was written",
                         "a file system that keeps what it is given",
                         "the previous file is unchanged; check the device or mount"});
}

// EINVAL: the file system has no fsync for folders, as that of VirtualBox for shared ones. What it
// does by itself has to do.
bool make_durable(const fs::path& path) {
  const Fd fd = open_file(path, O_RDONLY);
  return fd && (::fsync(fd.get()) == 0 || errno == EINVAL);
}

// A folder above that may not be read cannot be made durable, but it can be used.
fs::path create_folders(const fs::path& folder) {
  std::vector<fs::path> missing;  // the lowest first
  for (fs::path at = folder; !at.empty() && !fs::exists(at); at = at.parent_path())
    missing.push_back(at);
  if (!fs::create_directories(folder)) return {};
  for (const fs::path& made : missing) make_durable(folder_of(made));
  return missing.empty() ? fs::path() : missing.back();
}

void write_atomically(const fs::path& target, std::string_view bytes) {
  AtomicFile file(target);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

void require_writable(const fs::path& target, bool replaces) {
  if (!replaces) base::require_new(target);
  const AtomicFile file(target);
}

void copy_atomically(const fs::path& source, const fs::path& target) {
  uint64_t size = 0;
  const Fd from = open_regular(source, size, Exit::data);
  AtomicFile file(target);
  std::vector<char> block(std::min<uint64_t>(kBlock, size));
  for (uint64_t at = 0; at < size; at += block.size()) {
    const size_t part = std::min<uint64_t>(block.size(), size - at);
    if (!read_fully(from.get(), block.data(), part, at))
      fail(Exit::data, source, "cannot be read", errno == 0 ? EIO : errno);
    file.write(block.data(), part);
  }
  file.commit();
}

namespace {

// Whether a living process may be writing this temporary file. NFS locks a file exclusively only if
// it is open for writing. A file that cannot be opened at all belongs to another user.
bool is_in_use(const fs::path& path) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK;
  Fd fd = open_file(path, O_RDWR | kFlags);
  if (!fd) fd = open_file(path, O_RDONLY | kFlags);
  if (!fd) return errno == EACCES;
  return flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

size_t remove_leftovers(const fs::path& folder) {
  std::error_code error;
  size_t removed = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with(kPrefix)) continue;
    if (is_in_use(at->path())) continue;
    if (::unlink(at->path().c_str()) == 0) ++removed;
  }
  if (error) fail(Exit::data, folder, "cannot be listed", error.value());
  return removed;
}

}  // namespace broch::store
