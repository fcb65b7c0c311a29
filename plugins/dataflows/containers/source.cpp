// source.cpp: positional reads.
#include "containers/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <broch/cpp/error.hpp>
#include <cerrno>
#include <cstring>

#include "arrays/diagnostic.hpp"

namespace containers {
namespace {

[[noreturn]] void refuse_end(const std::string& name, uint64_t size, uint64_t wanted) {
  arrays::refuse(name + ": byte " + std::to_string(size), "the end of the file",
                 "data up to byte " + std::to_string(wanted),
                 "the file is cut short, or was replaced; copy or write it again");
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw broch::Error(BROCH_E_DATA_LOSS, path + ": " + what + ": " + std::strerror(errno) +
                                            "; check the path and its permissions");
}

}  // namespace

std::string Source::read(uint64_t offset, uint64_t size) const {
  // Before memory is taken: a damaged length must not ask for all of it.
  if (offset > this->size() || size > this->size() - offset)
    refuse_end(name(), this->size(), offset + size);
  std::string bytes(size, '\0');
  read(offset, bytes.data(), size);
  return bytes;
}

// O_NONBLOCK: a named pipe is refused, instead of waiting for its writer.
File::File(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) fail(path, "cannot be opened");
  struct stat status;
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw broch::Error(BROCH_E_DATA_LOSS,
                       path + ": found no regular file, expected one; name a file");
  }
  size_ = uint64_t(status.st_size);
  modified_ = int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

File::~File() { close(descriptor_); }

void File::read(uint64_t offset, void* to, uint64_t size) const {
  char* at = static_cast<char*>(to);
  for (uint64_t left = size; left > 0;) {
    const ssize_t got = pread(descriptor_, at, left, off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot be read at byte " + std::to_string(offset));
    if (got == 0) refuse_end(path_, offset, offset + left);
    at += got;
    offset += uint64_t(got);
    left -= uint64_t(got);
  }
}

void Memory::read(uint64_t offset, void* to, uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    refuse_end(name_, bytes_.size(), offset + size);
  if (size > 0) std::memcpy(to, bytes_.data() + offset, size);
}

std::shared_ptr<const File> Files::open(size_t which) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[which];
  slot.last_use = ++uses_;
  if (slot.file) return slot.file;
  slot.file = std::make_shared<const File>(paths_[which]);
  open_.push_back(which);
  if (open_.size() > kMostOpen) {
    const auto oldest = std::min_element(open_.begin(), open_.end(), [this](size_t a, size_t b) {
      return slots_[a].last_use < slots_[b].last_use;
    });
    slots_[*oldest].file.reset();  // closed when the last reader lets go of it
    open_.erase(oldest);
  }
  return slot.file;
}

}  // namespace containers
