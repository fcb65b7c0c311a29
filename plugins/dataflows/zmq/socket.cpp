// socket.cpp: makes a socket, waits for messages, and for those who take them.
#include "zmq/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

namespace zmq {
namespace {

using std::chrono::milliseconds;

std::string name_of(const std::vector<std::string>& addresses) {
  std::string name;
  for (const std::string& address : addresses) name += (name.empty() ? "" : ", ") + address;
  return name;
}

constexpr double kLong = 1e9;  // seconds

std::string seconds_of(const SocketOptions& options) {
  return std::to_string(*options.timeout).substr(0, 6);
}

}  // namespace

Socket::Socket(const SocketOptions& options)
    : options_(options), name_(name_of(options.addresses)) {
  context_ = zmq_ctx_new();
  socket_ = context_ ? zmq_socket(context_, options.kind) : nullptr;
  try {
    if (!socket_)
      throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED,
                         "zmq_socket: " + std::string(zmq_strerror(errno)));
    const int none = 0, hwm = int(options.hwm);
    set(ZMQ_LINGER, &none, sizeof none, "ZMQ_LINGER");
    set(ZMQ_RCVHWM, &hwm, sizeof hwm, "ZMQ_RCVHWM");
    set(ZMQ_SNDHWM, &hwm, sizeof hwm, "ZMQ_SNDHWM");
    set(ZMQ_MAXMSGSIZE, &options.max_bytes, sizeof options.max_bytes, "ZMQ_MAXMSGSIZE");
    for (const std::string& address : options.addresses) attach(address);
  } catch (...) {
    close();
    throw;
  }
}

Socket::~Socket() { close(); }

void Socket::close() {
  if (socket_) zmq_close(socket_);
  if (context_) zmq_ctx_term(context_);
  socket_ = context_ = nullptr;
}

void Socket::set(int option, const void* value, size_t size, const char* name) {
  if (zmq_setsockopt(socket_, option, value, size) != 0)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT, std::string(name) + ": " + zmq_strerror(errno));
}

void Socket::attach(const std::string& address) {
  const int failed =
      options_.bind ? zmq_bind(socket_, address.c_str()) : zmq_connect(socket_, address.c_str());
  if (failed)
    throw broch::Error(BROCH_E_UNAVAILABLE,
                       std::string("cannot ") + (options_.bind ? "bind " : "connect to ") +
                           address + ": " + zmq_strerror(errno) +
                           "; expected an address such as tcp://*:5555 to bind, "
                           "tcp://HOST:5555 to connect to, or ipc:///PATH");
}

Socket::Clock::time_point Socket::deadline() const {
  return Clock::now() +
         milliseconds(int64_t(std::min(options_.timeout.value_or(kLong), kLong) * 1000));
}

void Socket::receive(Message& message, const broch::Cancel& cancel) {
  const auto end = deadline();
  for (;;) {
    if (cancel.cancelled()) throw broch::Cancelled();
    if (zmq_msg_recv(message.c(), socket_, ZMQ_DONTWAIT) >= 0) return;
    if (errno != EAGAIN && errno != EINTR)
      throw broch::Error(BROCH_E_DATA_LOSS, name_ + ": " + zmq_strerror(errno));
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
    if (left <= 0)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         name_ + ": found no message within " + seconds_of(options_) +
                             " s, expected data points; check that the senders run, that they use "
                             "this address, and that no message is larger than max_point_bytes");
    zmq_pollitem_t items[] = {{socket_, 0, ZMQ_POLLIN, 0},
                              {nullptr, cancel.event_fd(), ZMQ_POLLIN, 0}};
    // Now and then even without an event: a host may have no descriptor for its wish.
    zmq_poll(items, cancel.event_fd() >= 0 ? 2 : 1, long(std::min<int64_t>(left, 500)));
  }
}

void Socket::send(std::string_view message) {
  const auto end = deadline();
  for (;;) {
    if (zmq_send(socket_, message.data(), message.size(), ZMQ_DONTWAIT) >= 0) return;
    if (errno != EAGAIN && errno != EINTR)
      throw broch::Error(BROCH_E_DATA_LOSS, name_ + ": " + zmq_strerror(errno));
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
    if (left <= 0)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         name_ + ": found nobody who takes a point within " + seconds_of(options_) +
                             " s, expected a receiver; check that it runs, and uses this address");
    zmq_pollitem_t item{socket_, 0, ZMQ_POLLOUT, 0};
    zmq_poll(&item, 1, long(std::min<int64_t>(left, 500)));
  }
}

void Socket::finish() {
  const auto end = deadline();
  const int linger =
      options_.timeout ? int(std::min(*options_.timeout * 1000, double(INT_MAX))) : -1;
  set(ZMQ_LINGER, &linger, sizeof linger, "ZMQ_LINGER");
  close();  // waits so long for the receivers
  if (options_.timeout && Clock::now() >= end)
    throw broch::Error(BROCH_E_DATA_LOSS,
                       name_ + ": found that the last points were not taken within " +
                           seconds_of(options_) + " s, expected that the receiver reads them all");
}

}  // namespace zmq
