// process_group.cpp: loads the engine and makes the group.
#include "dist/process_group.hpp"

#include <dlfcn.h>

#include <csignal>
#include <filesystem>

#include "base/error.hpp"
#include "base/libtorch.hpp"

namespace broch::dist {

namespace {

namespace fs = std::filesystem;

// The numbers of groups that are made from the group of all ranks.
constexpr uint32_t kPulse = 1, kWorkers = 2;

// <prefix>/lib/broch/broch_gloo.so, for a program at <prefix>/bin/broch.
std::string path_of(const std::string& engine) {
  const std::string file = "broch_" + engine + ".so";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? file : (program.parent_path().parent_path() / "lib/broch" / file).string();
}

const char* remedy(const std::string& engine) {
  if (engine == "mpi")
    return "build Broch where an MPI library is installed (Debian: libopenmpi-dev), or leave "
           "runtime.collectives out";
  if (engine == "nccl")
    return "build Broch where the CUDA toolkit and nccl.h are, run it where LibTorch's NVIDIA "
           "wheels are beside LibTorch, or leave runtime.collectives out";
  return "build Broch with LibTorch (-DBROCH_TORCH=ON), or train with one rank";
}

[[noreturn]] void refuse(const std::string& path, const char* found, const std::string& engine) {
  throw base::Error{base::Exit::plugin,
                    {path, found ? found : "a file that cannot be opened",
                     "the part of Broch for communication between ranks", remedy(engine)}};
}

}  // namespace

// The heartbeat waits five times as long, since messages that a rank sent before it left may still
// be on their way.
ProcessGroup::ProcessGroup(std::unique_ptr<Group> everyone, std::chrono::milliseconds timeout)
    : everyone_(std::move(everyone)),
      heartbeat_(everyone_->first(everyone_->ranks().world, kPulse), 5 * timeout,
                 [this](const base::Error& why) { everyone_->interrupt(why); }) {}

std::unique_ptr<Group> ProcessGroup::workers() {
  return everyone_->first(everyone_->ranks().workers(), kWorkers);
}

std::unique_ptr<ProcessGroup> join(const Ranks& ranks, std::chrono::milliseconds timeout,
                                   const std::string& engine) {
  // Gloo writes to sockets without MSG_NOSIGNAL. If another rank is gone, the call should fail, and
  // not this process end. The signal stays ignored, because the signal handlers of a run are set
  // after this and removed before the last messages.
  std::signal(SIGPIPE, SIG_IGN);
  const std::string path = path_of(engine);
  if (engine != "mpi") base::load_named_libtorch();
  if (engine == "nccl")
    if (const std::string why = base::load_cuda_of_libtorch(); !why.empty())
      refuse(path, why.c_str(), engine);
  // Never closed: LibTorch keeps threads and registrations that point into its code.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) refuse(path, dlerror(), engine);
  using Join = Group*(const Ranks&, std::chrono::milliseconds);
  auto* const make = reinterpret_cast<Join*>(dlsym(library, "broch_dist_join"));
  if (!make) refuse(path, "no function broch_dist_join", engine);
  return std::make_unique<ProcessGroup>(std::unique_ptr<Group>(make(ranks, timeout)), timeout);
}

}  // namespace broch::dist
