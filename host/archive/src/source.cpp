// source.cpp: positional reads.
#include "archive/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "archive/refuse.hpp"

namespace broch::archive {
namespace {

[[noreturn]] void refuse_end(const std::string& name, uint64_t size, uint64_t wanted) {
  refuse(name + ": byte " + std::to_string(size), "the end of the file",
         "data up to byte " + std::to_string(wanted),
         "the file is cut short, or was replaced; copy or write it again");
}

[[noreturn]] void refuse_file(const std::string& name, const std::string& found,
                              const std::string& expected) {
  refuse(name, found, expected,
         "check the path, which is relative to the folder of the manifest, and its "
         "permissions");
}

std::string in_words(int error) {
  if (error == ENOENT || error == ENOTDIR) return "no such file";
  return error == EACCES ? "no permission to read it" : std::strerror(error);
}

// The lack of a descriptor or of memory is no damage of the data, which a run could pass over.
[[noreturn]] void refuse_open(const std::string& name, int error) {
  if (error == EMFILE || error == ENFILE || error == ENOMEM)
    refuse(name, std::strerror(error), "room for one more open file",
           error == ENOMEM
               ? "free some memory, or read with fewer threads"
               : "raise the limit of open files (ulimit -n), or read with fewer threads",
           BROCH_E_RESOURCE_EXHAUSTED);
  refuse_file(name, in_words(error), "a file that can be read");
}

}  // namespace

std::string Source::read(uint64_t offset, uint64_t size) const {
  // Before memory is taken: a damaged length must not ask for all of it.
  require(offset, size);
  std::string bytes(size, '\0');
  read(offset, bytes.data(), size);
  return bytes;
}

void Source::require(uint64_t offset, uint64_t size) const {
  if (offset > this->size() || size > this->size() - offset)
    refuse_end(name(), this->size(), offset + size);
}

// O_NONBLOCK: a named pipe is refused, instead of waiting for its writer.
File::File(const std::string& path, const std::string& what)
    : name_(path + what), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) refuse_open(name_, errno);
  struct stat status;
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    refuse_file(name_, "no regular file", "one");
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
    if (got < 0)
      refuse(name_ + ": byte " + std::to_string(offset), std::strerror(errno),
             "a file that can be read", "check the disk");
    if (got == 0) refuse_end(name_, offset, offset + left);
    at += got;
    offset += uint64_t(got);
    left -= uint64_t(got);
  }
}

void Memory::read(uint64_t offset, void* to, uint64_t size) const {
  require(offset, size);
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

}  // namespace broch::archive
