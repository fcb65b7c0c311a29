// connection.hpp: one connection: reads a request, has it answered, writes the response, again.
#pragma once
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>

#include "http/server.hpp"

namespace broch::http {

namespace asio = boost::asio;

// A connection as the server sees it.
class Live {
 public:
  virtual ~Live() = default;
  // Closes it unless a request has begun to arrive. Any thread.
  virtual void end_if_idle() = 0;
};

// What the connections of a server share.
struct Shared {
  const Options options;
  Handler& handler;
  asio::ssl::context* tls;  // nullptr: plain
  std::atomic<bool> ending{false};
  std::atomic<size_t> held_bytes{0};

  std::mutex mutex{};
  std::condition_variable none_left{};
  std::set<Live*> live{};  // the open connections; guarded by mutex

  size_t count() {
    const std::lock_guard lock(mutex);
    return live.size();
  }
};

// Takes over the socket. refused: there are too many connections, which is all that is answered.
void start_connection(Shared& shared, asio::ip::tcp::socket socket, bool refused);

}  // namespace broch::http
