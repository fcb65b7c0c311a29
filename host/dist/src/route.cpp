// route.cpp: a connected datagram socket knows the local address from which it would send.
#include "dist/route.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

namespace broch::dist {

namespace {

std::string own_address(const addrinfo& there) {
  const int descriptor = socket(there.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return "";
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  auto* const address = reinterpret_cast<sockaddr*>(&own);
  char text[NI_MAXHOST] = "";
  if (connect(descriptor, there.ai_addr, there.ai_addrlen) == 0 &&
      getsockname(descriptor, address, &size) == 0)
    getnameinfo(address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  close(descriptor);
  return text;
}

}  // namespace

std::string address_towards(const std::string& host, uint16_t port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return "";
  std::string address;
  for (const addrinfo* one = found; one && address.empty(); one = one->ai_next)
    address = own_address(*one);
  freeaddrinfo(found);
  return address;
}

}  // namespace broch::dist
