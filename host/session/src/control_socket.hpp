// control_socket.hpp: the socket of a log folder.
#pragma once
#include <string>

namespace broch::session {

inline constexpr const char* kControlSocket = "control.sock";

// Owns a descriptor.
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

// Both go through the folder's descriptor, so that a path may be longer than an address. Without a
// descriptor errno says why.
Descriptor open_folder(const std::string& log_dir);
Descriptor listen_in(const Descriptor& folder);  // for the owner alone; takes a stale one's place
Descriptor connect_in(const Descriptor& folder);

}  // namespace broch::session
