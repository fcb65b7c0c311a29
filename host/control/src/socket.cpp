// socket.cpp: UNIX stream sockets, addressed through /proc/self/fd.
#include "socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace broch::control {
namespace {

constexpr int kBacklog = 8;

sockaddr_un address_in(const Descriptor& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder.get(),
                kSocketName);
  return address;
}

Descriptor stream() { return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

bool remove_stale(const Descriptor& folder) {
  struct stat facts {};
  if (fstatat(folder.get(), kSocketName, &facts, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (!S_ISSOCK(facts.st_mode)) {
    errno = EEXIST;
    return false;
  }
  return unlinkat(folder.get(), kSocketName, 0) == 0;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Descriptor open_folder(const std::string& log_dir) {
  return Descriptor(open(log_dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Descriptor listen_in(const Descriptor& folder) {
  if (!remove_stale(folder)) return Descriptor();
  Descriptor socket = stream();
  const sockaddr_un address = address_in(folder);
  // The permissions that a socket has before bind are those that its file gets.
  const bool ready =
      socket && fchmod(socket.get(), S_IRUSR | S_IWUSR) == 0 &&
      bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(socket.get(), kBacklog) == 0;
  return ready ? std::move(socket) : Descriptor();
}

Descriptor connect_in(const Descriptor& folder, std::chrono::seconds patience) {
  Descriptor socket = stream();
  const sockaddr_un address = address_in(folder);
  // The time to send is also the time to connect: to a process that is suspended and whose queue is
  // full, it would otherwise take forever.
  const timeval limit{patience.count(), 0};
  const bool connected =
      socket && setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
      connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return connected ? std::move(socket) : Descriptor();
}

}  // namespace broch::control
