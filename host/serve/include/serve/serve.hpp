// serve.hpp: broch serve: bundles behind HTTP, by the Open Inference Protocol, version 2.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace broch::serve {

struct Options {
  std::vector<std::string> bundles;  // FILE, whose name is that of the model, or NAME=FILE
  bool preprocess = false;           // requests have files, where a bundle says how to read them
  std::string address = "127.0.0.1";
  uint16_t port = 8000;     // 0: any that is free
  unsigned threads = 0;     // that compute, each on its own; 0: one for each core
  int64_t most_rows = 32;   // of requests that are computed together
  double wait_seconds = 0;  // for more requests to compute together
  size_t most_body_bytes = 64 << 20;
  size_t most_waiting = 256;  // requests; more are answered with 429
  size_t most_connections = 1024;
  double timeout = 30;           // seconds from a request to its result
  double transfer_timeout = 30;  // seconds for a request to arrive, for a response to be taken
  std::string token_file;        // with the token that clients must send; "": BROCH_SERVE_TOKEN
  bool no_token = false;         // a public address without a token is intended
  std::string certificate, key;  // PEM files; both empty: no TLS
};

// Serves until SIGINT or SIGTERM, then finishes what has begun. ready is called with the URL once
// requests are taken. Returns 0 if everything was finished, else the signal; a second one ends the
// process. Blocks these signals in this thread and those that it starts. Throws base::Error.
int serve(const Options& options, const std::function<void(const std::string& url)>& ready);

}  // namespace broch::serve
