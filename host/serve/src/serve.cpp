// serve.cpp: opens the models, serves them, and ends in order.
#include "serve/serve.hpp"

#include <arpa/inet.h>
#include <signal.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "http/server.hpp"
#include "runtime/backend.hpp"
#include "service.hpp"

namespace broch::serve {
namespace {

constexpr unsigned kLeastHttpThreads = 2, kMostHttpThreads = 8;

// The signals that end the server, kept for wait().
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  void wait() {
    int signal = 0;
    sigwait(&set_, &signal);
    base::info("finishing what has begun; the next signal ends the server at once");
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  }

 private:
  sigset_t set_;
};

bool is_loopback(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, address.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

void check_access(const Options& options, const Token& token) {
  if (options.certificate.empty() != options.key.empty())
    base::fail(base::Exit::usage, options.key.empty() ? "--tls-cert" : "--tls-key", "it alone",
               "both --tls-cert and --tls-key", "");
  if (is_loopback(options.address)) return;
  if (!token.is_set() && !options.no_token)
    base::fail(base::Exit::usage, "--host " + options.address,
               "an address that other machines reach, and no token",
               "--token-file, or BROCH_SERVE_TOKEN",
               "if everybody may use the models, say so with --no-token");
  if (options.certificate.empty())
    base::warning("--host " + options.address + ": without --tls-cert, requests" +
                  (token.is_set() ? " and the token" : "") + " are sent unencrypted");
}

Service::Models open_models(const Options& options, runtime::Backend& backend) {
  Service::Models models;
  for (const std::string& argument : options.bundles) {
    const auto [name, file] = name_and_file(argument);
    if (models.contains(name))
      base::fail(base::Exit::usage, argument, "a second model " + base::quoted(name),
                 "different names", "give one of them another name: NAME=" + file.string());
    const auto model = models.emplace(name, std::make_unique<Model>(name, file, backend)).first;
    model->second->warm_up();
    base::info(model->second->text());
    if (!model->second->batch_symbol())
      base::info(name +
                 ": requests are computed one by one, since its inputs and outputs do not "
                 "share their first size");
  }
  return models;
}

http::Options http_options(const Options& options, unsigned threads) {
  http::Options http;
  http.address = options.address;
  http.port = options.port;
  http.threads = std::clamp(threads / 2, kLeastHttpThreads, kMostHttpThreads);
  http.most_connections = options.most_connections;
  http.most_body_bytes = options.most_body_bytes;
  http.most_held_bytes = std::max(http.most_held_bytes, 4 * options.most_body_bytes);
  http.transfer_seconds = options.transfer_timeout;
  http.certificate = options.certificate;
  http.key = options.key;
  return http;
}

std::string url(const Options& options, uint16_t port) {
  const bool is_six = options.address.find(':') != options.address.npos;
  return (options.certificate.empty() ? "http://" : "https://") +
         (is_six ? "[" + options.address + "]" : options.address) + ":" + std::to_string(port);
}

Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Ends the threads of the server before what they use goes.
class Stop {
 public:
  explicit Stop(http::Server& server) : server_(server) {}
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
  http::Server& server_;
  bool stopped_ = false;
};

}  // namespace

bool serve(const Options& given, const std::function<void(const std::string& url)>& ready) {
  Options options = given;
  if (options.address == "localhost") options.address = "127.0.0.1";
  const Token token(options.token_file);
  check_access(options, token);
  Signals signals;
  const unsigned threads =
      options.threads ? options.threads : unsigned(std::max(1, base::cpu().usable_cores));
  const auto backend = runtime::open_torch_backend();
  backend->configure({.threads = 1, .level = runtime::Level::fast});
  const Service::Models models = open_models(options, *backend);
  std::unique_ptr<http::Server> server;  // outlives the requests that the batcher holds
  Batcher batcher(
      {threads, options.most_rows, duration(options.wait_seconds), options.most_waiting});
  Service service(models, batcher, token, duration(options.timeout));
  server = http::open_server(http_options(options, threads), service);
  Stop stop(*server);
  service.count_connections([&server] { return server->connections(); });
  ready(url(options, server->port()));
  signals.wait();
  service.end();
  return stop.now(options.timeout + options.transfer_timeout);
}

}  // namespace broch::serve
