// control.hpp: requests to a running process through a socket in its log folder, for broch ctl.
//
// Only the user who runs the process can connect; the permissions of the socket and the credentials
// of the other side ensure that. Each connection sends one line (control_request.hpp) and receives
// one line of JSON: {"schema": 1, "ok": true, …}, or {"schema": 1, "ok": false, "error": …, "exit":
// exit code for the program that asks}.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "session/changes.hpp"
#include "session/control_request.hpp"
#include "value/value.hpp"

namespace broch::session {

class ControlServer {
 public:
  struct Parts {
    std::function<value::Value()> status;  // [main] the progress, as an object
    std::function<int64_t()> global_step;  // [any]
    // [main] Performs save and set, between steps; returns the members of the answer. If it throws
    // Refused, the client receives the error. Any other exception passes through take().
    std::function<value::Value(const ControlRequest&)> perform;
    std::function<void()> notify;  // [any] called when a request waits for take()
    std::function<void()> stop;    // [any]
  };

  // Serves on a thread of its own until it is destroyed, and then removes the socket. Replaces a
  // socket that a killed run left behind. Throws base::Error (data) if this folder cannot hold a
  // socket.
  ControlServer(const std::string& log_dir, Parts parts);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  // Performs the requests since the last call and publishes the status. [main] Between steps.
  void take();
  // Only publishes the status.
  void publish();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

// Sends a request to the run in this folder and returns the members of the answer. Throws
// base::Error: data if no run is active there or if no answer comes in time, otherwise the error
// that the run sent.
value::Value ask_training(const std::string& log_dir, const std::string& line,
                          std::chrono::seconds patience);

}  // namespace broch::session
