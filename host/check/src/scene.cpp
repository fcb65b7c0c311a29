// scene.cpp: files in memory, limits and descriptors.
#include "scene.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

constexpr rlim_t kFileSize = rlim_t{256} << 20;  // bytes
constexpr size_t kVerdictBytes = size_t{1} << 20;
constexpr size_t kOutputBytes = 16384;  // only the end is kept
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr rlim_t kAddressSpace = rlim_t{4} << 30;  // bytes
#endif

void limit(int resource, rlim_t value) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &now);
  const rlim_t most = std::min(value, now.rlim_max);
  const rlimit wanted{most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &wanted);
}

// Where the descriptor is the wanted one already, dup2 would leave it to be closed by exec.
void become(int fd, int wanted) {
  if (fd == wanted)
    fcntl(wanted, F_SETFD, 0);
  else
    dup2(fd, wanted);
}

}  // namespace

Memory::Memory(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {
  if (fd_ < 0)
    throw base::Error(base::Exit::data,
                      {"checking a plugin", std::string("memfd_create failed: ") + strerror(errno),
                       "a process for each test", "check the limits of open files and memory"});
}

Memory::~Memory() { close(fd_); }

std::string Memory::text(size_t most) const {
  struct stat status {};
  fstat(fd_, &status);
  const auto size = static_cast<size_t>(status.st_size);
  std::string bytes(std::min(size, most), '\0');
  const ssize_t got =
      pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size - bytes.size()));
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

void enter(const Place& place) {
  setpgid(0, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kFileSize);
  if (place.cpu_seconds > 0) limit(RLIMIT_CPU, place.cpu_seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_AS, kAddressSpace);
#endif
  if (chdir(place.folder) != 0) _exit(126);
  const int nothing = place.input < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
  become(nothing < 0 ? place.input : nothing, STDIN_FILENO);
  become(place.output, STDOUT_FILENO);
  become(place.output, STDERR_FILENO);
  become(place.verdict, kVerdictFd);
  for (const int fd : {nothing, place.input, place.output, place.verdict})
    if (fd > kVerdictFd) close(fd);
}

Ended read(const Scene& scene, int wait_status) {
  Ended ended;
  if (WIFEXITED(wait_status)) ended.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) ended.signal = WTERMSIG(wait_status);
  ended.verdict = scene.verdict.text(kVerdictBytes);
  ended.output = scene.output.text(kOutputBytes);
  return ended;
}

}  // namespace broch::check
