// event_file.hpp: TensorBoard's event files: records of (length, its sum, Event, its sum).
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "store/event.hpp"

namespace broch::store {

// Appends to a new file "events.out.tfevents.<time>.<host>" in the folder. Events are kept in
// memory until flush(). Errors are Error(data); what a failed flush had begun is cut off again.
class EventFile {
 public:
  explicit EventFile(const std::filesystem::path& folder,
                     const base::Clock& clock = base::system_clock());
  // Goes on with a file at a byte where a flush once ended; what stands behind it is cut off.
  EventFile(const std::filesystem::path& file, uint64_t size,
            const base::Clock& clock = base::system_clock());
  EventFile(const EventFile&) = delete;
  ~EventFile();  // flushes; logs an error

  // A wall time of 0 is filled in.
  void add(Event event);
  void flush();
  const std::filesystem::path& path() const { return path_; }
  uint64_t size() const { return size_; }            // bytes that were flushed
  size_t pending() const { return pending_count_; }  // events since the last flush

 private:
  const base::Clock& clock_;
  std::filesystem::path path_;
  int fd_ = -1;
  uint64_t size_ = 0;  // bytes that were written whole
  std::string pending_;
  size_t pending_count_ = 0;
};

// All whole events; a torn record at the end is left out. Throws Error(data) when a sum is wrong.
std::vector<Event> read_events(const std::filesystem::path& path);

// Event files of a folder, by name. since: only those begun in the second of this one or later.
std::vector<std::filesystem::path> event_files(const std::filesystem::path& folder,
                                               const std::string& since = "");

// Cuts a file before its first event with a later step, and a torn record at its end, so that a
// resumed run goes on without doubles. Returns how many bytes went. Throws Error(data).
uint64_t truncate_events(const std::filesystem::path& path, int64_t last_step);

}  // namespace broch::store
