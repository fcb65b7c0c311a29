// serve.cpp: opens the models, serves them, and ends in order.
#include "serve/serve.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "http/hosting.hpp"
#include "runtime/backend.hpp"
#include "service.hpp"

namespace broch::serve {
namespace {

constexpr unsigned kLeastHttpThreads = 2, kMostHttpThreads = 8;

void check_access(const Options& options, const Token& token) {
  if (options.certificate.empty() != options.key.empty())
    base::fail(base::Exit::usage, options.key.empty() ? "--tls-cert" : "--tls-key", "it alone",
               "both --tls-cert and --tls-key", "");
  if (http::is_loopback(options.address)) return;
  if (!token.is_set() && !options.no_token)
    base::fail(base::Exit::usage, "--host " + options.address,
               "an address that other machines reach, and no token",
               "--token-file, or BROCH_SERVE_TOKEN",
               "if everybody may use the models, say so with --no-token");
  if (options.certificate.empty())
    base::warning("--host " + options.address + ": without --tls-cert, requests" +
                  (token.is_set() ? " and the token" : "") + " are sent unencrypted");
}

// The transforms, or the dataflow if there are none.
std::string before(const Model& model) {
  const std::vector<std::string> transforms = predict::transforms_of(model.preprocessing());
  if (!transforms.empty()) return base::join(transforms, ", ");
  const value::Value* const source = model.preprocessing().source.find("use");
  return source ? source->string() : "the dataflow of the training";
}

Service::Models open_models(const Options& options, runtime::Backend& backend) {
  Service::Models models;
  for (const std::string& argument : options.bundles) {
    const auto [name, file] = name_and_file(argument);
    if (models.contains(name))
      base::fail(base::Exit::usage, argument, "a second model " + base::quoted(name),
                 "different names", "give one of them another name: NAME=" + file.string());
    const auto model =
        models.emplace(name, std::make_unique<Model>(name, file, backend, options.preprocess))
            .first;
    model->second->warm_up();
    base::info(model->second->text());
    if (predict::does_something(model->second->preprocessing()) && !options.preprocess)
      base::info(name + ": its inputs are what " + before(*model->second) +
                 " makes of files; --preprocess does that for clients");
    if (!model->second->batch_symbol())
      base::info(name + ": requests are computed one by one, since " + model->second->why_alone());
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

Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

int serve(const Options& given, const std::function<void(const std::string& url)>& ready) {
  Options options = given;
  if (options.address == "localhost") options.address = "127.0.0.1";
  const Token token = options.no_token ? Token() : Token(options.token_file);
  check_access(options, token);
  http::Signals signals;
  const unsigned threads =
      options.threads ? options.threads : unsigned(std::max(1, base::cpu().usable_cores));
  const auto backend = runtime::open_torch_backend();
  backend->configure({.threads = 1, .level = runtime::Level::fast});
  const Service::Models models = open_models(options, *backend);
  std::unique_ptr<http::Server> server;  // outlives the requests that the batcher holds
  Batcher batcher(
      {threads, options.most_rows, duration(options.wait_seconds), options.most_waiting});
  std::optional<Preprocessor> preprocessor;
  if (std::ranges::any_of(models, [](const auto& one) { return one.second->takes_files(); }))
    preprocessor.emplace(*backend, threads, options.most_waiting);
  Service service(models, batcher, preprocessor ? &*preprocessor : nullptr, token,
                  duration(options.timeout));
  const http::Options http = http_options(options, threads);
  server = http::open_server(http, service);
  http::Stop stop(*server);
  service.count_connections_of(*server);
  ready(http::url_of(http, server->port()));
  const int signal = signals.wait();
  service.end();
  return stop.now(options.timeout + options.transfer_timeout) ? 0 : signal;
}

}  // namespace broch::serve
