// posix.hpp: files by descriptor, every return code checked, errors that name file and cause.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/error.hpp"

namespace broch::store {

// Owns a descriptor. close() reports an error, the destructor cannot.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  int close();  // 0, or -1 with errno set; the descriptor is gone either way

 private:
  int fd_;
};

// "`path`: `action`: No space left on device", with advice as the hint where there is some.
[[noreturn]] void fail(base::Exit exit, const std::filesystem::path& path, const char* action,
                       int error);

// open() again after EINTR; -1 with errno set.
Fd open_file(const std::filesystem::path& path, int flags, int mode = 0);
// Opens a regular file for reading and gives its size. Throws Error(exit).
Fd open_regular(const std::filesystem::path& path, uint64_t& size, base::Exit exit);

// Writes all bytes; false with errno set.
bool write_fully(int fd, const void* bytes, size_t size);
// Reads `size` bytes at `offset`; false with errno set, 0 when the file ends before.
bool read_fully(int fd, void* bytes, size_t size, uint64_t offset);
// Makes a rename or a removal in the folder durable; false with errno set.
bool sync_folder(const std::filesystem::path& folder);

}  // namespace broch::store
