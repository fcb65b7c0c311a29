// socket.hpp: the control socket in a log folder.
#pragma once
#include <chrono>
#include <string>

namespace broch::control {

inline constexpr const char* kSocketName = "control.sock";

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// The other functions take a descriptor of the folder, because the path of a folder may be longer
// than a socket address. If the result has no descriptor, errno tells why.
Descriptor open_folder(const std::string& log_dir);
Descriptor listen_in(const Descriptor& folder);  // only for the owner; replaces a stale socket
Descriptor connect_in(const Descriptor& folder, std::chrono::seconds patience);  // then: EAGAIN

}  // namespace broch::control
