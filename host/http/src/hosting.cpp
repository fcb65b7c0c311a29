// hosting.cpp: signals and addresses.
#include "http/hosting.hpp"

#include <arpa/inet.h>

#include "base/log.hpp"
#include "base/signals.hpp"

namespace broch::http {

Signals::Signals() {
  sigemptyset(&set_);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&set_, signal);
  if (!base::ignores_hangup()) sigaddset(&set_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

int Signals::wait() {
  int signal = 0;
  sigwait(&set_, &signal);
  base::info("finishing what has begun; the next signal ends the server at once");
  pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  return signal;
}

bool is_loopback(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, address.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::string url_of(const Options& options, uint16_t port) {
  const bool is_six = options.address.find(':') != options.address.npos;
  return (options.certificate.empty() ? "http://" : "https://") +
         (is_six ? "[" + options.address + "]" : options.address) + ":" + std::to_string(port);
}

}  // namespace broch::http
