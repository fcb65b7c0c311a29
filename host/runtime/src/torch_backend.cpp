// torch_backend.cpp: opens the LibTorch backend when it is needed.
#include "runtime/torch_backend.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/libtorch.hpp"

namespace broch::runtime {
namespace {

namespace fs = std::filesystem;

// <prefix>/lib/broch/broch_torch.so, for a program at <prefix>/bin/broch.
std::string default_path() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return "broch_torch.so";
  return (program.parent_path().parent_path() / "lib/broch/broch_torch.so").string();
}

std::string how_to_get_torch(const std::string& path) {
  return base::how_to_get_libtorch(
      "unpack the PyPI wheel of torch 2.11.0 and make its folder `torch` known: in the environment "
      "variable BROCH_TORCH_DIR, or as a link `torch` beside " +
      path);
}

[[noreturn]] void refuse(const std::string& path, const std::string& found) {
  base::fail(base::Exit::plugin, path, found,
             "the part of Broch that computes with LibTorch 2.11.0",
             how_to_get_torch("this file") + "; BROCH_RUNTIME names another file");
}

// dlerror begins with the file that is missing: the one that was opened, or one that it needs.
[[noreturn]] void refuse_to_open(const std::string& path, const std::string& reason) {
  const bool is_torch = reason.starts_with("libtorch") || reason.starts_with("libc10");
  if (!is_torch || reason.find("cannot open shared object file") == std::string::npos)
    refuse(path, reason);
  base::fail(base::Exit::plugin, "LibTorch 2.11.0 was not found", reason, "",
             how_to_get_torch(path));
}

template <class Function>
Function* symbol(void* library, const char* name, const std::string& path) {
  if (void* address = dlsym(library, name)) return reinterpret_cast<Function*>(address);
  refuse(path, std::string("no function ") + name);
}

}  // namespace

std::unique_ptr<Backend, void (*)(Backend*)> open_torch_backend() {
  return open_torch_backend(default_path());
}

std::unique_ptr<Backend, void (*)(Backend*)> open_torch_backend(const std::string& file) {
  const char* override_path = std::getenv("BROCH_RUNTIME");
  const std::string path = override_path && *override_path ? override_path : file;
  base::load_named_libtorch();
  // Never closed: LibTorch keeps threads and registrations that point into its code.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char* reason = dlerror();
    refuse_to_open(path, reason ? reason : "a file that cannot be opened");
  }
  auto* open = symbol<Backend*()>(library, "broch_torch_open", path);
  auto* close = symbol<void(Backend*)>(library, "broch_torch_close", path);
  return {open(), close};
}

}  // namespace broch::runtime
