// serve_command.cpp: broch serve: answers requests over HTTP with trained models.
#include <csignal>
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/real_number.hpp"
#include "commands.hpp"
#include "serve/serve.hpp"

namespace broch::cli {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

struct ServeOptions {
  serve::Options serve;
  double wait_milliseconds = 0;
  size_t body_mib = 64;
};

int run_serve(ServeOptions& options) {
  options.serve.wait_seconds = options.wait_milliseconds / 1000;
  options.serve.most_body_bytes = options.body_mib * kMiB;
  const int signal = serve::serve(options.serve, [](const std::string& url) {
    std::cout << "listening on " << url << std::endl;
  });
  if (signal == 0) return 0;
  base::warning("broch serve: some requests were not finished");
  return int(signal == SIGINT ? base::Exit::interrupted : base::Exit::terminated);
}

void add_limits(CLI::App& command, ServeOptions& options) {
  serve::Options& serve = options.serve;
  command
      .add_option("--max-body", options.body_mib, "Largest body of a request in MiB; above it: 413")
      ->check(CLI::Range(size_t{1}, size_t{1} << 20))
      ->capture_default_str();
  command
      .add_option("--max-queue", serve.most_waiting,
                  "Requests that may wait to be computed; above it: 429")
      ->check(CLI::Range(size_t{1}, size_t{1'000'000}))
      ->capture_default_str();
  command
      .add_option("--max-connections", serve.most_connections, "Open connections; above it: 503")
      ->check(CLI::Range(size_t{1}, size_t{1'000'000}))
      ->capture_default_str();
  command
      .add_option("--timeout", serve.timeout, "Seconds from a request to its result; after it: 504")
      ->check(base::within(0.001, 86'400))
      ->capture_default_str();
  command
      .add_option(
          "--transfer-timeout", serve.transfer_timeout,
          "Seconds for a request to arrive, after which: 408; and for its answer to be taken")
      ->check(base::within(0.001, 86'400))
      ->capture_default_str();
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  static ServeOptions options;
  serve::Options& serve = options.serve;
  CLI::App* command = app.add_subcommand(
      "serve", "Answer requests over HTTP with trained models (Open Inference Protocol)");
  command
      ->add_option("bundles", serve.bundles,
                   "Bundles that broch export has written: FILE or NAME=FILE")
      ->required();
  command->add_option("--host", serve.address, "The IP address to listen on")
      ->capture_default_str();
  command->add_option("--port", serve.port, "The port; 0: any that is free")->capture_default_str();
  command
      ->add_option("--threads", serve.threads,
                   "Threads that compute, each on its own; 0: one for each core")
      ->check(CLI::Range(0U, 1024U))
      ->capture_default_str();
  command
      ->add_option("--max-batch", serve.most_rows,
                   "Most samples of several requests that are computed together; 1: each request "
                   "on its own")
      ->check(CLI::Range(int64_t{1}, int64_t{65'536}))
      ->capture_default_str();
  command
      ->add_option("--batch-wait", options.wait_milliseconds,
                   "Milliseconds that a request waits for others, to be computed with them; 0: "
                   "only while all threads are busy")
      ->check(base::within(0, 10'000))
      ->capture_default_str();
  command->add_flag("--preprocess", serve.preprocess,
                    "Take files such as images instead of the model's inputs, and read them as the "
                    "bundle says");
  add_limits(*command, options);
  CLI::Option* const token_file = command->add_option(
      "--token-file", serve.token_file,
      "File with the token that clients must send as Authorization: Bearer TOKEN; "
      "by default that of BROCH_SERVE_TOKEN, if it is set");
  command
      ->add_flag("--no-token", serve.no_token, "Other machines may use the models without a token")
      ->excludes(token_file);
  command->add_option("--tls-cert", serve.certificate,
                      "PEM file with the certificate chain: HTTPS");
  command->add_option("--tls-key", serve.key, "PEM file with the private key of the certificate");
  command->callback([&exit_code] { exit_code = run_serve(options); });
}

}  // namespace broch::cli
