// atomic_file.hpp: replaces a file completely or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/error.hpp"

namespace broch::store {

// Writes to ".broch-tmp-…" in the target's folder. commit() makes the file durable, reads it back,
// compares the checksum and renames it. After an error, or without commit(), the old file is
// unchanged and the temporary file is gone. If the target is a link, the file it points to is
// replaced; if it is no regular file, it is refused. Errors are Error(data).
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  AtomicFile(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(const void* bytes, size_t size);
  // The first part of commit(), which may fail for want of room: all but the new name.
  void prepare();
  void commit();

 private:
  void verify();
  void discard();
  [[noreturn]] void fail(const char* action);

  struct Temporary;
  std::filesystem::path target_;
  std::unique_ptr<Temporary> temporary_;  // empty after commit or failure
  uint64_t size_ = 0;
  uint32_t crc_ = 0;
  bool prepared_ = false;
};

// Of a file: what was written to it; of a folder: renames and removals in it. Returns false with
// errno set if it fails; then it must not be repeated, since it would report success.
bool make_durable(const std::filesystem::path& path);

// Makes a folder and those above it that are missing, so that a power failure does not take them
// away with the durable files in them. Returns the topmost one that was made; empty if the folder
// was there, or another process made it meanwhile. Throws std::filesystem::filesystem_error.
std::filesystem::path create_folders(const std::filesystem::path& folder);

void write_atomically(const std::filesystem::path& target, std::string_view bytes);
// To be called before work that would be lost if the file could not be written: makes a temporary
// file, and removes it again. Without replaces, nothing may have this name yet. Errors are
// Error(data).
void require_writable(const std::filesystem::path& target, bool replaces = true);
void copy_atomically(const std::filesystem::path& source, const std::filesystem::path& target);

// Removes temporary files of killed processes from the folder, but not those that a living process
// still writes. Returns how many were removed. Errors are Error(data).
size_t remove_leftovers(const std::filesystem::path& folder);

}  // namespace broch::store
