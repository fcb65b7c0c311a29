// mapped_file.cpp: open, fstat, mmap and read, with messages.
#include "files/mapped_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "arrays/diagnostic.hpp"

namespace files {

using arrays::refuse;

OpenFile::OpenFile(const std::string& path, const std::string& what) : place_(path + what) {
  // O_NONBLOCK: a named pipe is refused below, instead of waiting for its writer.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0)
    refuse(place_, strerror(errno), "a file that can be read",
           "check the name; a relative one belongs to the folder of the manifest");
  struct stat facts {};
  const bool known = ::fstat(descriptor_, &facts) == 0;
  if (!known || !S_ISREG(facts.st_mode)) {
    const std::string found = known ? "no regular file" : strerror(errno);
    ::close(descriptor_);
    refuse(place_, found, "a file", "check the name");
  }
  size_ = uint64_t(facts.st_size);
}

OpenFile::~OpenFile() { ::close(descriptor_); }

void OpenFile::read(char* to) const {
  for (uint64_t done = 0; done < size_;) {
    const ssize_t n = ::read(descriptor_, to + done, size_ - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      refuse(place_ + ": byte " + std::to_string(done),
             n < 0 ? strerror(errno) : "the end of the file", std::to_string(size_) + " bytes",
             "check the disk, and that nobody writes the file meanwhile");
    done += uint64_t(n);
  }
}

MappedFile::MappedFile(const std::string& path) {
  const OpenFile file(path);
  if (file.size() == 0) return;
  void* const at = ::mmap(nullptr, file.size(), PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (at == MAP_FAILED)
    refuse(path, strerror(errno), "a file that can be mapped into memory",
           "copy it to a local disk");
  data_ = static_cast<const char*>(at);
  size_ = file.size();
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace files
