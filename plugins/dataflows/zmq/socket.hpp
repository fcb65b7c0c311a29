// socket.hpp: a socket of ZeroMQ: PULL receives messages of any number of senders, PUSH sends to
// any number of receivers.
#pragma once
#include <zmq.h>

#include <broch/cpp/data_point.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmq {

struct SocketOptions {
  std::vector<std::string> addresses;
  bool bind;
  int64_t hwm;                    // messages that wait at most, for each sender
  std::optional<double> timeout;  // seconds without a message; no value: no limit
  int64_t max_bytes = -1;         // of a message; a sender of a longer one is disconnected
  int kind = ZMQ_PULL;
};

// One message, which lies in memory of ZeroMQ.
class Message {
 public:
  Message() { zmq_msg_init(&message_); }
  ~Message() { zmq_msg_close(&message_); }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  zmq_msg_t* c() { return &message_; }
  std::string_view bytes() {
    return {static_cast<const char*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }

 private:
  zmq_msg_t message_;
};

// One thread at a time may use it.
class Socket {
 public:
  // Throws broch::Error if it cannot be bound or connected.
  explicit Socket(const SocketOptions& options);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // All its addresses, for messages.
  const std::string& name() const { return name_; }

  // Throws Cancelled, or Error when the time is over.
  void receive(Message& message, const broch::Cancel& cancel);

  // Throws Cancelled, or Error if no receiver takes it within the timeout.
  void send(std::string_view message, const broch::Cancel& cancel);
  // Waits until all messages have been passed on, and closes the socket. Throws Cancelled, or Error
  // if it takes longer than the timeout. What is not passed on then is lost.
  void finish(const broch::Cancel& cancel);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point deadline() const;
  void set(int option, const void* value, size_t size, const char* name);
  void attach(const std::string& address);
  // Until the event, a cancellation or the end. False: it is the end.
  bool wait(short event, const broch::Cancel& cancel, Clock::time_point end);
  void close();

  SocketOptions options_;
  std::string name_;
  void* context_ = nullptr;
  void* socket_ = nullptr;
};

}  // namespace zmq
