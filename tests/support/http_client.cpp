// http_client.cpp: sockets of loopback.
#include "http_client.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace broch::test {
namespace {

constexpr int kPatience = 120'000;  // milliseconds, on a busy machine

std::string header_of(const std::string& head, const std::string& name) {
  const size_t at = head.find("\r\n" + name + ": ");
  if (at == head.npos) return "";
  const size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

}  // namespace

std::string get(const std::string& path, const std::string& headers) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}
std::string post(const std::string& path, const std::string& body, const std::string& headers) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string Response::header(const std::string& name) const { return header_of(head, name); }

Client::Client(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
}
Client::~Client() { close(socket_); }

void Client::send(const std::string& bytes) const {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += size_t(n);
  }
}

Response Client::receive(bool has_body) {
  const auto more = [&] {
    pollfd event{socket_, POLLIN, 0};
    char buffer[65536];
    if (poll(&event, 1, kPatience) != 1) return false;
    const ssize_t n = recv(socket_, buffer, sizeof buffer, 0);
    if (n > 0) left_.append(buffer, size_t(n));
    return n > 0;
  };
  size_t end;
  while ((end = left_.find("\r\n\r\n")) == left_.npos)
    if (!more()) return {};
  const std::string head = left_.substr(0, end + 2);
  const std::string length = header_of(head, "Content-Length");
  const size_t size = has_body && !length.empty() ? std::stoul(length) : 0;
  while (left_.size() < end + 4 + size)
    if (!more()) return {};
  Response response{std::stoi(head.substr(9, 3)), head, left_.substr(end + 4, size)};
  left_.erase(0, end + 4 + size);
  return response;
}

bool Client::is_closed(double seconds) const {
  pollfd event{socket_, POLLIN, 0};
  char byte;
  return left_.empty() && poll(&event, 1, int(seconds * 1000)) == 1 &&
         recv(socket_, &byte, 1, 0) <= 0;
}

}  // namespace broch::test
