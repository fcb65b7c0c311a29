// server.hpp: an HTTP/1.1 server with limits, and what it asks of the program behind it.
//
// The server uses Boost.Beast and OpenSSL. It is in a shared object (lib/broch/broch_http.so), so
// that the program itself is not linked with OpenSSL and works without it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace broch::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;  // "GET"
  std::string target;  // "/v2/models/digits?x=1", as it was sent, but without a machine before it
  Headers headers;     // names in small letters
  std::string body;    // empty until it has been read

  // "" if there is no such header; the first one if there are several. name: in small letters.
  std::string_view header(std::string_view name) const {
    for (const auto& [key, value] : headers)
      if (key == name) return value;
    return {};
  }
};

struct Response {
  int status = 200;
  std::string type;  // "application/json"; "" if there is no body
  Headers headers;
  std::string body;
};

// Called once, on any thread. `make` makes the response, on a thread of the server.
using Answer = std::function<void(std::function<Response()> make)>;

// All functions are called by several threads at once. What they throw is answered with 500.
class Handler {
 public:
  virtual ~Handler() = default;
  // Called when the header has been read and the body not yet. No value: the request is welcome.
  virtual std::optional<Response> refusal_of(const Request& head) = 0;
  virtual void handle(Request request, Answer answer) = 0;
  // An answer of the server itself: what was wrong, such as a malformed request.
  virtual Response failure(int status, const std::string& found, const std::string& expected) = 0;
  // A response is about to be written. head: nullptr if no request could be read.
  virtual void responds(const Request* head, int status) = 0;
};

struct Options {
  std::string address = "127.0.0.1";  // IPv4 or IPv6; not the name of a machine
  uint16_t port = 0;                  // 0: any that is free
  unsigned threads = 2;               // that read, write and make responses
  size_t most_connections = 1024;     // more are answered with 503
  size_t most_header_bytes = 16 << 10;
  size_t most_body_bytes = 64 << 20;  // of one request
  size_t most_held_bytes = 1 << 30;   // of all bodies that are read or handled; more: 503
  double transfer_seconds = 30;  // for a whole request to arrive, for a response to be taken …
  double idle_seconds = 60;      // … and for the next request to begin
  std::string certificate, key;  // PEM files; both empty: no TLS
};

class Server {
 public:
  virtual ~Server() = default;  // after stop
  virtual uint16_t port() const = 0;
  virtual size_t connections() const = 0;
  // Takes no more connections, closes those that are idle, and waits until every request of which
  // something has arrived is answered. False if that took longer than this, and the rest was
  // dropped. Afterwards no thread of the server calls the handler.
  virtual bool stop(double seconds) = 0;
};

// Listens, and begins to take requests. Borrows the handler. Throws base::Error: plugin if
// broch_http.so cannot be opened, data if the address or a file cannot be used.
std::unique_ptr<Server> open_server(const Options& options, Handler& handler);

// The type of the function that broch_http.so exports as kOpenSymbol. Returns nullptr and sets
// where, found and expected on failure. It throws no exceptions.
using OpenFunction = Server*(const Options& options, Handler& handler, std::string& where,
                             std::string& found, std::string& expected);
inline constexpr const char* kOpenSymbol = "broch_http_open";

}  // namespace broch::http
