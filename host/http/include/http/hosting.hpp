// hosting.hpp: what a command around a server needs: its signals, its address, its end.
#pragma once
#include <signal.h>

#include <string>

#include "http/server.hpp"

namespace broch::http {

// SIGINT, SIGTERM and, unless nohup made the process ignore it, SIGHUP, kept for wait(). Blocks
// them in this thread and those that it starts.
class Signals {
 public:
  Signals();
  // Until the first of them, which it returns; afterwards, one of them ends the process.
  int wait();

 private:
  sigset_t set_;
};

// Ends the threads of the server before what they use goes.
class Stop {
 public:
  explicit Stop(Server& server) : server_(server) {}
  ~Stop() {
    if (!stopped_) server_.stop(0);
  }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;
  bool now(double seconds) {
    stopped_ = true;
    return server_.stop(seconds);
  }

 private:
  Server& server_;
  bool stopped_ = false;
};

bool is_loopback(const std::string& address);
// "http://127.0.0.1:8000"; the port is that of the open server.
std::string url_of(const Options& options, uint16_t port);

}  // namespace broch::http
