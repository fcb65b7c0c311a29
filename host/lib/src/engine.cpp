// engine.cpp: LibTorch has one number of threads in a process, so the models share a backend.
#include "engine.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <mutex>
#include <string>

#include "boundary.hpp"
#include "runtime/torch_backend.hpp"

namespace broch::lib {
namespace {

namespace fs = std::filesystem;

constexpr int32_t kMostThreads = 1024;

// <lib>/broch/broch_torch.so, for this library in <lib>.
std::string runtime_file() {
  Dl_info info{};
  const auto* here = reinterpret_cast<const void*>(&shared_engine);
  if (!dladdr(here, &info) || !info.dli_fname) return "broch_torch.so";
  std::error_code error;
  const fs::path library = fs::canonical(info.dli_fname, error);
  return ((error ? fs::path(info.dli_fname) : library).parent_path() / "broch/broch_torch.so")
      .string();
}

// With deterministic algorithms alone, a PyTorch in this process refuses operators, too.
void configure(Engine& engine, bool repeats) {
  engine.backend->configure({.threads = engine.threads, .deterministic = repeats});
  engine.repeats = repeats;
}

}  // namespace

std::shared_ptr<Engine> shared_engine(int32_t threads, bool repeats) {
  // Only finds what the open models own.
  static std::mutex mutex;
  static std::weak_ptr<Engine> last;
  if (threads < 0 || threads > kMostThreads)
    refuse("option threads", std::to_string(threads), "0 to " + std::to_string(kMostThreads));
  const std::lock_guard lock(mutex);
  if (auto engine = last.lock()) {
    if (threads && threads != engine->threads)
      refuse("option threads",
             std::to_string(threads) + ", but models with " + std::to_string(engine->threads) +
                 " are open",
             "the same number for all models of a process", "set it to 0, or close these models");
    if (repeats && !engine->repeats) configure(*engine, true);
    return engine;
  }
  auto engine = std::make_shared<Engine>(
      Engine{runtime::open_torch_backend(runtime_file()), threads ? threads : 1, false});
  configure(*engine, repeats);
  last = engine;
  return engine;
}

}  // namespace broch::lib
