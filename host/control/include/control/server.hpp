// server.hpp: requests to a running process through a socket in its log folder, for broch ctl.
//
// Only the user who runs the process can connect; the permissions of the socket and the credentials
// of the other side ensure that. Each connection sends one line (request.hpp) and receives
// one line of JSON: {"schema": 1, "ok": true, …}, or {"schema": 1, "ok": false, "error": …, "exit":
// exit code for the program that asks}.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "control/request.hpp"
#include "value/value.hpp"

namespace broch::control {

class Server {
 public:
  struct Parts {
    std::function<value::Value()> status;  // [main] the progress, as an object
    std::function<int64_t()> global_step;  // [any]
    // [main] Performs save and set, between steps; returns the members of the answer. If it throws
    // Refused, the client receives the error. Any other exception passes through take().
    std::function<value::Value(const Request&)> perform;
    std::function<void()> notify;  // [any] called when a request waits for take()
    std::function<void()> stop;    // [any]
  };

  // Serves on a thread of its own until it is destroyed, and then removes the socket. Replaces a
  // socket that a killed run left behind. Throws base::Error (data) if this folder cannot hold a
  // socket.
  Server(const std::string& log_dir, Parts parts);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Performs the requests since the last call and publishes the status. [main] Between steps.
  void take();
  // Only publishes the status.
  void publish();

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace broch::control
