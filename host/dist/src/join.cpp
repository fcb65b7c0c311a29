// join.cpp: opening the engine when there are others to meet.
#include <dlfcn.h>

#include <filesystem>

#include "base/error.hpp"
#include "dist/group.hpp"

namespace broch::dist {

namespace {

namespace fs = std::filesystem;

// <prefix>/lib/broch/broch_gloo.so, seen from <prefix>/bin/broch.
std::string engine_path() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "broch_gloo.so"
               : (program.parent_path().parent_path() / "lib/broch/broch_gloo.so").string();
}

[[noreturn]] void refuse(const std::string& path, const char* found) {
  throw base::Error{base::Exit::plugin,
                    {path, found ? found : "a file that cannot be opened",
                     "the part of Broch that lets ranks talk",
                     "build Broch with LibTorch (-DBROCH_TORCH=ON), or train with one rank"}};
}

}  // namespace

std::unique_ptr<Group> join(const Ranks& ranks, std::chrono::milliseconds timeout) {
  const std::string path = engine_path();
  // Never closed: LibTorch keeps threads and registrations that point into its code.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) refuse(path, dlerror());
  using Join = Group*(const Ranks&, std::chrono::milliseconds);
  auto* const make = reinterpret_cast<Join*>(dlsym(library, "broch_dist_join"));
  if (!make) refuse(path, "no function broch_dist_join");
  return std::unique_ptr<Group>(make(ranks, timeout));
}

}  // namespace broch::dist
