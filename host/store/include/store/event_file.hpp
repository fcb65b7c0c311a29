// event_file.hpp: TensorBoard's event files: records of length, its checksum, Event, its checksum.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "store/event.hpp"

namespace broch::store {

// Appends to a new file "events.out.tfevents.<time>.<host>" in the folder. Events stay in memory
// until flush(). Errors are Error(data); what a failed flush has written is cut off again.
class EventFile {
 public:
  explicit EventFile(const std::filesystem::path& folder,
                     const base::Clock& clock = base::system_clock());
  // Continues a file at a size where a flush ended; the rest of the file is cut off.
  EventFile(const std::filesystem::path& file, uint64_t size,
            const base::Clock& clock = base::system_clock());
  EventFile(const EventFile&) = delete;
  ~EventFile();  // flushes; logs an error

  // Sets the wall time if it is 0.
  void add(Event event);
  void flush();
  // Makes what was flushed survive a power failure.
  void sync();
  const std::filesystem::path& path() const { return path_; }
  uint64_t size() const { return size_; }            // bytes that were flushed
  size_t pending() const { return pending_count_; }  // events since the last flush

 private:
  const base::Clock& clock_;
  std::filesystem::path path_;
  int fd_ = -1;
  uint64_t size_ = 0;  // bytes that were written completely
  std::string pending_;
  size_t pending_count_ = 0;
};

// Calls visit for each complete event from the byte `from` on, where one begins, with the byte at
// which that one begins, until visit returns false. Returns the position after the last event for
// which it returned true. Throws Error(data) if a checksum is wrong.
uint64_t visit_events(const std::filesystem::path& path, uint64_t from,
                      const std::function<bool(Event, uint64_t at)>& visit);

// All complete events; an incomplete record at the end is ignored. Throws Error(data) if a
// checksum is wrong.
std::vector<Event> read_events(const std::filesystem::path& path);

// The event files of a folder, ordered by name. since: only files begun in the same second as this
// one, or later.
std::vector<std::filesystem::path> event_files(const std::filesystem::path& folder,
                                               const std::string& since = "");

// Cuts a file before its first event with a later step, and an incomplete record at its end, so
// that a resumed run writes no event twice. Returns the number of bytes removed. Throws
// Error(data).
uint64_t truncate_events(const std::filesystem::path& path, int64_t last_step);

}  // namespace broch::store
