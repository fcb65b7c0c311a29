// socket.cpp: makes a socket, waits for messages, and for those who take them.
#include "zmq/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <future>
#include <sstream>
#include <thread>
#include <utility>

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
  std::ostringstream text;
  text << *options.timeout;
  return text.str();
}

// ZeroMQ removes what is in the place of its socket.
void require_no_file(const std::string& address) {
  constexpr std::string_view kScheme = "ipc://";
  if (!address.starts_with(kScheme)) return;
  std::error_code unknown;
  const auto status = std::filesystem::symlink_status(address.substr(kScheme.size()), unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_socket(status))
    throw broch::Error(BROCH_E_ALREADY_EXISTS,
                       "cannot bind " + address +
                           ": found a file there that is no socket, expected a socket or nothing; "
                           "choose another path, or remove the file");
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
  while (context_ && zmq_ctx_term(context_) != 0 && errno == EINTR) continue;
  socket_ = context_ = nullptr;
}

void Socket::set(int option, const void* value, size_t size, const char* name) {
  if (zmq_setsockopt(socket_, option, value, size) != 0)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT, std::string(name) + ": " + zmq_strerror(errno));
}

void Socket::attach(const std::string& address) {
  if (options_.bind) require_no_file(address);
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

bool Socket::wait(short event, const broch::Cancel& cancel, Clock::time_point end) {
  const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
  if (left <= 0) return false;
  zmq_pollitem_t items[] = {{socket_, 0, event, 0}, {nullptr, cancel.event_fd(), ZMQ_POLLIN, 0}};
  // Now and then even without an event: a host may have no descriptor for its wish.
  zmq_poll(items, cancel.event_fd() >= 0 ? 2 : 1, long(std::min<int64_t>(left, 500)));
  return true;
}

void Socket::receive(Message& message, const broch::Cancel& cancel) {
  const auto end = deadline();
  do {
    if (cancel.cancelled()) throw broch::Cancelled();
    if (zmq_msg_recv(message.c(), socket_, ZMQ_DONTWAIT) >= 0) return;
    if (errno != EAGAIN && errno != EINTR)
      throw broch::Error(BROCH_E_DATA_LOSS, name_ + ": " + zmq_strerror(errno));
  } while (wait(ZMQ_POLLIN, cancel, end));
  throw broch::Error(BROCH_E_DATA_LOSS,
                     name_ + ": found no message within " + seconds_of(options_) +
                         " s, expected data points; check that the senders run, that they use "
                         "this address, and that no message is larger than max_point_bytes");
}

void Socket::send(std::string_view message, const broch::Cancel& cancel) {
  const auto end = deadline();
  do {
    if (cancel.cancelled()) throw broch::Cancelled();
    if (zmq_send(socket_, message.data(), message.size(), ZMQ_DONTWAIT) >= 0) return;
    if (errno != EAGAIN && errno != EINTR)
      throw broch::Error(BROCH_E_DATA_LOSS, name_ + ": " + zmq_strerror(errno));
  } while (wait(ZMQ_POLLOUT, cancel, end));
  throw broch::Error(BROCH_E_DATA_LOSS,
                     name_ + ": found nobody who takes a point within " + seconds_of(options_) +
                         " s, expected a receiver; check that it runs, and uses this address");
}

// The end of a context waits for the receivers, and a signal alone can interrupt that, whoever it
// is for. So it has a thread of its own, which outlives a cancellation. It gives up a second after
// this one: if it ends before, everything was taken.
void Socket::finish(const broch::Cancel& cancel) {
  const auto end = deadline();
  const int linger =
      options_.timeout ? int(std::min((*options_.timeout + 1) * 1000, double(INT_MAX))) : -1;
  set(ZMQ_LINGER, &linger, sizeof linger, "ZMQ_LINGER");
  zmq_close(std::exchange(socket_, nullptr));
  std::packaged_task<void()> ends([context = std::exchange(context_, nullptr)] {
    while (zmq_ctx_term(context) != 0 && errno == EINTR) continue;
  });
  const std::future<void> ended = ends.get_future();
  std::thread(std::move(ends)).detach();
  while (ended.wait_for(milliseconds(50)) != std::future_status::ready) {
    if (cancel.cancelled()) throw broch::Cancelled();
    if (Clock::now() >= end)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         name_ + ": found that the last points were not taken within " +
                             seconds_of(options_) +
                             " s, expected that the receiver reads them all; check that it still "
                             "runs, or set the option timeout of the sink to more seconds or null");
  }
}

}  // namespace zmq
