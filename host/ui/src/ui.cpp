// ui.cpp: opens the server, and waits for a signal.
#include "ui/ui.hpp"

#include "base/log.hpp"
#include "http/hosting.hpp"
#include "service.hpp"

namespace broch::ui {
namespace {

constexpr unsigned kThreads = 6;
constexpr double kEndSeconds = 2;

http::Options http_options(const Options& options) {
  http::Options http;
  http.address = options.address == "localhost" ? "127.0.0.1" : options.address;
  http.port = options.port;
  http.threads = kThreads;
  http.most_connections = 128;
  http.most_body_bytes = 64 << 10;
  http.most_held_bytes = 8 << 20;
  return http;
}

}  // namespace

void serve(const Options& options, const std::function<void(const std::string& url)>& ready) {
  Access access(options.token);
  Library library(options.folders);
  const http::Options http = http_options(options);
  if (!http::is_loopback(http.address))
    base::warning(
        "--address " + options.address +
        ": other machines can open the page; the token and all data are sent unencrypted");
  http::Signals signals;
  Service service(library, access);
  const auto server = http::open_server(http, service);
  http::Stop stop(*server);
  access.set_port(server->port());
  ready(http::url_of(http, server->port()) + "/?token=" + access.token());
  signals.wait();
  stop.now(kEndSeconds);
}

}  // namespace broch::ui
