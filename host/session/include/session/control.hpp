// control.hpp: a training that runs can be asked things through a socket in its log folder.
//
// Only the user who runs it may: the socket's rights and the credentials of the other side say so.
// Each connection asks one line (control_request.hpp) and gets one line of JSON back: {"schema": 1,
// "ok": true, …}, or {"schema": 1, "ok": false, "error": …, "exit": code for the program that
// asks}.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "manifest/value.hpp"
#include "session/changes.hpp"
#include "session/control_request.hpp"

namespace broch::session {

class ControlServer {
 public:
  struct Parts {
    std::function<manifest::Value()> status;  // [main] how far it is; an object
    std::function<int64_t()> global_step;     // [any]
    // [main] What save and set do, between steps; members of the answer. Throws Refused for
    // what is told to who asked; what else it throws leaves take.
    std::function<manifest::Value(const ControlRequest&)> perform;
    std::function<void()> notify;  // [any] somebody waits for take
    std::function<void()> stop;    // [any]
  };

  // Serves on a thread of its own until it is destroyed, which takes the socket away. One that a
  // killed run left is replaced. Throws base::Error (data) when there can be none in this folder.
  ControlServer(const std::string& log_dir, Parts parts);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  // Does what was asked since, and shows status from now on. [main] Between steps.
  void take();
  // Shows it alone.
  void publish();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

// Asks the training of this folder; the members of its answer. Throws base::Error: data when none
// runs there or no answer comes in time, else what the training answered.
manifest::Value ask_training(const std::string& log_dir, const std::string& line,
                             std::chrono::seconds patience);

}  // namespace broch::session
