// shared_memory.cpp: reads files of /dev/shm, and marks them as read.
#include "pipe/shared_memory.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <random>

#include "arrays/diagnostic.hpp"

namespace piped {
namespace {

constexpr size_t kMostFiles = 64;
constexpr uint64_t kHeader = 64;  // of a file, before elements; its first byte: 1 full, 0 free
const std::string kFolder = "/dev/shm/";

bool is_regular(int descriptor) {
  struct stat facts;
  return fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

SharedMemory::SharedMemory() {
  static std::atomic<unsigned> count{0};
  // The random number tells processes apart that have the same number in different containers.
  prefix_ = "broch-" + std::to_string(getpid()) + "-" + std::to_string(std::random_device{}()) +
            "-" + std::to_string(count++) + "-";
}

SharedMemory::~SharedMemory() {
  for (const auto& [name, file] : files_) close(file.descriptor);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder, ignored))
    if (entry.path().filename().string().rfind(prefix_, 0) == 0) unlink(entry.path().c_str());
}

SharedMemory::File& SharedMemory::file_of(const std::string& name, const std::string& place) {
  if (const auto known = files_.find(name); known != files_.end()) return known->second;
  if (name.rfind(prefix_, 0) != 0)
    arrays::refuse(place, "shared memory named " + arrays::quoted(name),
                   "a name that begins with the value of BROCH_PIPE_SHARED, " + prefix_,
                   "see docs/data/pipe_protocol.md");
  if (files_.size() == kMostFiles)
    arrays::refuse(place, std::to_string(kMostFiles + 1) + " names of shared memory",
                   "at most " + std::to_string(kMostFiles),
                   "let the program use a file again when its first byte is 0");
  const std::string path = kFolder + name;
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0)
    arrays::refuse(place, path + ", which cannot be opened (" + strerror(errno) + ")",
                   "shared memory that the program has filled",
                   "create it before the frame is written, and let Broch remove it");
  unlink(path.c_str());
  File& file = files_[name] = {descriptor, false};
  if (!is_regular(descriptor))
    arrays::refuse(place, path + ", which is not a regular file", "shared memory",
                   "create it with open or shm_open");
  return file;
}

void SharedMemory::fill(const Component& component, void* memory, const std::string& place) {
  File& file = file_of(component.shared, place);
  file.is_used = true;
  if (component.offset < kHeader || component.offset > uint64_t(INT64_MAX) - component.bytes)
    arrays::refuse(place, "elements at byte " + std::to_string(component.offset),
                   "an offset of 64 or more", "see docs/data/pipe_protocol.md");
  for (uint64_t got = 0; memory && got < component.bytes;) {
    const ssize_t n = pread(file.descriptor, static_cast<char*>(memory) + got,
                            component.bytes - got, off_t(component.offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      arrays::refuse(place,
                     "shared memory " + component.shared + " with " + std::to_string(got) +
                         " bytes from byte " + std::to_string(component.offset) + " on",
                     std::to_string(component.bytes), "fill it before the frame is written");
    got += uint64_t(n);
  }
}

void SharedMemory::give_back() {
  for (auto& [name, file] : files_) {
    if (!file.is_used) continue;
    file.is_used = false;
    // A file that cannot be written stays full, and the program will use another one.
    while (pwrite(file.descriptor, "", 1, 0) < 0 && errno == EINTR) continue;
  }
}

}  // namespace piped
