// posix.hpp: files by descriptor; checks every return code, and names file and cause in errors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/error.hpp"

namespace broch::store {

// Owns a descriptor. close() reports errors; the destructor cannot.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  int close();  // 0, or -1 with errno set; the descriptor is closed in any case

 private:
  int fd_;
};

// Throws "`path`: `action`: No space left on device", with advice as the hint if there is some.
[[noreturn]] void fail(base::Exit exit, const std::filesystem::path& path, const char* action,
                       int error);

// open(), repeated after EINTR. Empty with errno set if it fails.
Fd open_file(const std::filesystem::path& path, int flags, int mode = 0);
// Opens a regular file for reading and sets its size. Throws Error(exit).
Fd open_regular(const std::filesystem::path& path, uint64_t& size, base::Exit exit);

// Writes all bytes. Returns false with errno set if it fails.
bool write_fully(int fd, const void* bytes, size_t size);
// Reads `size` bytes at `offset`. Returns false with errno set, to 0 if the file is too short.
bool read_fully(int fd, void* bytes, size_t size, uint64_t offset);

}  // namespace broch::store
