// agent.cpp: the store that torchrun's agent serves for its workers: prints its port, and ends with
// its standard input.
#include <cstdio>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

int main() {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  const c10d::TCPStore store("127.0.0.1", options);
  std::printf("%u\n", static_cast<unsigned>(store.getPort()));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
