// log_file.cpp: opens with O_NOFOLLOW, and reads with pread.
#include "log_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "value/json.hpp"

namespace broch::ui {
namespace {

constexpr uint64_t kMostJson = 16 << 20;
constexpr uint64_t kTail = 64;

}  // namespace

LogFile::LogFile(const std::filesystem::path& path)
    : fd_(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_ < 0) return;
  struct stat facts {};
  if (fstat(fd_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    close(fd_);
    fd_ = -1;
    return;
  }
  size_ = uint64_t(facts.st_size);
  version_ = std::to_string(facts.st_ino) + " " + std::to_string(facts.st_size) + " " +
             std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec);
}

LogFile::~LogFile() {
  if (fd_ >= 0) close(fd_);
}

std::string LogFile::read(uint64_t at, uint64_t bytes) const {
  std::string text(at >= size_ ? 0 : std::min(bytes, size_ - at), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = pread(fd_, text.data() + done, text.size() - done, off_t(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += size_t(count);
  }
  text.resize(done);
  return text;
}

std::string LogFile::tail(uint64_t before) const {
  const uint64_t bytes = std::min(before, kTail);
  return read(before - bytes, bytes);
}

value::Value read_value(const std::filesystem::path& path) {
  const LogFile file(path);
  if (!file.is_open() || file.size() > kMostJson) return {};
  value::Dialect dialect;
  dialect.limits.text_bytes = dialect.limits.nodes = dialect.limits.string_bytes = kMostJson + 1;
  try {
    return value::parse_text(path.string(), file.read(0, kMostJson), dialect);
  } catch (const base::Error&) {
    return {};
  }
}

}  // namespace broch::ui
