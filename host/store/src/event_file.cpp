// event_file.cpp: TensorFlow's record format around events.
#include "store/event_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "posix.hpp"
#include "store/atomic_file.hpp"

namespace broch::store {

namespace fs = std::filesystem;
using base::Diagnostic;
using base::Error;
using base::Exit;

namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr size_t kSecondsDigits = 10;
constexpr size_t kHead = 12;  // length and its checksum
constexpr size_t kTail = 4;   // checksum of the data

template <class Number>
void append(std::string& to, Number value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_record(std::string& to, const std::string& data) {
  const uint64_t length = data.size();
  append(to, length);
  append(to, base::masked_crc32c(&length, sizeof length));
  to += data;
  append(to, base::masked_crc32c(data.data(), data.size()));
}

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

// Files that are created in the same second get a number at the end.
Fd create(const fs::path& folder, const base::Clock& clock, fs::path& path) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%010.0f", std::floor(clock.wall()));
  const std::string name = std::string(kPrefix) + seconds + "." + host_name();
  for (int twin = 0;; ++twin) {
    path = folder / (twin == 0 ? name : name + "." + std::to_string(twin));
    Fd fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd) return fd;
    if (errno != EEXIST) fail(Exit::data, path, "cannot be created", errno);
  }
}

[[noreturn]] void damaged(const fs::path& path, uint64_t at) {
  throw Error(
      Exit::data,
      Diagnostic{path.string(), "a record with a wrong checksum at byte " + std::to_string(at),
                 "an undamaged event file", "move the file out of the log folder"});
}

}  // namespace

EventFile::EventFile(const fs::path& folder, const base::Clock& clock) : clock_(clock) {
  Fd fd = create(folder, clock_, path_);
  fd_ = fd.get();
  Event first;
  first.file_version = "brain.Event:2";
  add(std::move(first));
  flush();
  fd.release();  // not before flush: if that throws, fd closes the file
}

EventFile::EventFile(const fs::path& file, uint64_t size, const base::Clock& clock)
    : clock_(clock), path_(file), size_(size) {
  uint64_t now = 0;
  open_regular(file, now, Exit::data);
  if (now < size)
    throw Error(Exit::data,
                Diagnostic{file.string(), std::to_string(now) + " bytes",
                           "at least the " + std::to_string(size) + " that the checkpoint knows of",
                           "put the file back, or resume without this monitor"});
  Fd fd = open_file(file, O_WRONLY, 0);
  if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0 ||
      ::lseek(fd.get(), static_cast<off_t>(size), SEEK_SET) < 0)
    fail(Exit::data, file, "cannot be continued", errno);
  fd_ = fd.release();
}

EventFile::~EventFile() {
  try {
    flush();
  } catch (const Error& failure) {
    base::error(failure.what());
  }
  ::close(fd_);
}

void EventFile::add(Event event) {
  if (event.wall_time == 0) event.wall_time = clock_.wall();
  append_record(pending_, encode(event));
  ++pending_count_;
}

// A failed flush drops its events, so that memory does not grow while the disk is full.
void EventFile::flush() {
  const std::string bytes = std::exchange(pending_, {});
  pending_count_ = 0;
  if (write_fully(fd_, bytes.data(), bytes.size())) {
    size_ += bytes.size();
    return;
  }
  const int error = errno;
  if (::ftruncate(fd_, static_cast<off_t>(size_)) == 0)
    ::lseek(fd_, static_cast<off_t>(size_), SEEK_SET);
  fail(Exit::data, path_, "cannot be written", error);
}

// The folder, too: it has the name of a new file.
void EventFile::sync() {
  if (::fdatasync(fd_) != 0 || !make_durable(path_.parent_path()))
    fail(Exit::data, path_, "cannot be made durable", errno);
}

uint64_t visit_events(const fs::path& path, uint64_t from,
                      const std::function<bool(Event, uint64_t)>& visit) {
  uint64_t size = 0;
  const Fd fd = open_regular(path, size, Exit::data);
  const auto read = [&](void* to, size_t count, uint64_t at) {
    if (!read_fully(fd.get(), to, count, at))
      fail(Exit::data, path, "cannot be read", errno == 0 ? EIO : errno);
  };
  uint64_t at = from;
  while (at <= size && size - at >= kHead + kTail) {
    uint64_t length = 0;
    uint32_t sum = 0;
    read(&length, sizeof length, at);
    read(&sum, sizeof sum, at + sizeof length);
    if (sum != base::masked_crc32c(&length, sizeof length)) damaged(path, at);
    if (length > size - at - kHead - kTail) break;
    std::string data(length, '\0');
    read(data.data(), length, at + kHead);
    read(&sum, sizeof sum, at + kHead + length);
    if (sum != base::masked_crc32c(data.data(), length)) damaged(path, at);
    if (!visit(decode(data, path.string()), at)) break;
    at += kHead + length + kTail;
  }
  return at;
}

std::vector<Event> read_events(const fs::path& path) {
  std::vector<Event> events;
  visit_events(path, 0, [&](Event event, uint64_t) {
    events.push_back(std::move(event));
    return true;
  });
  return events;
}

std::vector<fs::path> event_files(const fs::path& folder, const std::string& since) {
  const std::string first = since.substr(0, kPrefix.size() + kSecondsDigits);
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (const std::string name = at->path().filename().string();
        name.starts_with(kPrefix) && name >= first)
      files.push_back(at->path());
  if (error) fail(Exit::data, folder, "cannot be listed", error.value());
  std::sort(files.begin(), files.end());
  return files;
}

uint64_t truncate_events(const fs::path& path, int64_t last_step) {
  const uint64_t keep =
      visit_events(path, 0, [&](const Event& event, uint64_t) { return event.step <= last_step; });
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (!error && size > keep) fs::resize_file(path, keep, error);
  if (error) fail(Exit::data, path, "cannot be cut", error.value());
  return size - keep;
}

}  // namespace broch::store
