// socket.cpp: makes a PULL socket and waits for its messages.
#include "zmq/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace zmq {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string name_of(const std::vector<std::string>& addresses) {
  std::string name;
  for (const std::string& address : addresses) name += (name.empty() ? "" : ", ") + address;
  return name;
}

}  // namespace

Socket::Socket(const SocketOptions& options)
    : options_(options), name_(name_of(options.addresses)) {
  context_ = zmq_ctx_new();
  socket_ = context_ ? zmq_socket(context_, ZMQ_PULL) : nullptr;
  try {
    if (!socket_)
      throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED,
                         "zmq_socket: " + std::string(zmq_strerror(errno)));
    const int none = 0, hwm = int(options.hwm);
    set(ZMQ_LINGER, &none, sizeof none, "ZMQ_LINGER");
    set(ZMQ_RCVHWM, &hwm, sizeof hwm, "ZMQ_RCVHWM");
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

void Socket::receive(Message& message, const broch::Cancel& cancel) {
  const auto deadline = steady_clock::now() +
                        milliseconds(int64_t(std::min(options_.timeout.value_or(1e9), 1e9) * 1000));
  for (;;) {
    if (cancel.cancelled()) throw broch::Cancelled();
    if (zmq_msg_recv(message.c(), socket_, ZMQ_DONTWAIT) >= 0) return;
    if (errno != EAGAIN && errno != EINTR)
      throw broch::Error(BROCH_E_DATA_LOSS, name_ + ": " + zmq_strerror(errno));
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         name_ + ": found no message within " +
                             std::to_string(*options_.timeout).substr(0, 6) +
                             " s, expected data points; check that the senders run, that they use "
                             "this address, and that no message is larger than max_point_bytes");
    zmq_pollitem_t items[] = {{socket_, 0, ZMQ_POLLIN, 0},
                              {nullptr, cancel.event_fd(), ZMQ_POLLIN, 0}};
    // Now and then even without an event: a host may have no descriptor for its wish.
    zmq_poll(items, cancel.event_fd() >= 0 ? 2 : 1, long(std::min<int64_t>(left, 500)));
  }
}

}  // namespace zmq
