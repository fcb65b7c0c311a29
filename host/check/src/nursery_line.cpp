// nursery_line.cpp: sendmsg and recvmsg with descriptors.
#include "nursery_line.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace broch::check {
namespace {

constexpr size_t kLongest = 65536;  // bytes of an order

struct Letter {
  Letter(void* bytes, size_t size) : part{bytes, size} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  iovec part;
  msghdr header{};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
};

// The words of an order are separated by zeros.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (c)
      words.back() += c;
    else
      words.emplace_back();
  return words;
}

}  // namespace

bool send_order(int socket, const Order& order) {
  const std::string zero(1, '\0');
  std::string text = order.job.test + zero + order.job.component + zero + order.folder;
  Letter letter(text.data(), text.size());
  cmsghdr* const head = CMSG_FIRSTHDR(&letter.header);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  const int files[] = {order.verdict, order.output};
  head->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(head), files, sizeof files);
  return sendmsg(socket, &letter.header, MSG_NOSIGNAL) == ssize_t(text.size());
}

std::optional<Order> receive_order(int socket) {
  std::string text(kLongest, '\0');
  Letter letter(text.data(), text.size());
  ssize_t got;
  do got = recvmsg(socket, &letter.header, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr* const head = CMSG_FIRSTHDR(&letter.header);
  // A process without free descriptors gets a part of them.
  if (got <= 0 || !head || (letter.header.msg_flags & (MSG_CTRUNC | MSG_TRUNC)))
    return std::nullopt;
  int files[2];
  std::memcpy(files, CMSG_DATA(head), sizeof files);
  text.resize(size_t(got));
  const std::vector<std::string> words = words_of(text);
  if (words.size() != 3) return std::nullopt;
  return Order{{words[0], words[1]}, words[2], files[0], files[1]};
}

bool send_number(int socket, int number) {
  return send(socket, &number, sizeof number, MSG_NOSIGNAL) == ssize_t(sizeof number);
}

std::optional<int> receive_number(int socket) {
  int number = 0;
  ssize_t got;
  do got = recv(socket, &number, sizeof number, 0);
  while (got < 0 && errno == EINTR);
  if (got != ssize_t(sizeof number)) return std::nullopt;
  return number;
}

}  // namespace broch::check
