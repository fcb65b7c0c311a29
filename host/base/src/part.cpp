// part.cpp: opens a shared object of the installation.
#include "base/part.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace broch::base {

namespace fs = std::filesystem;

void* open_part(const Part& part) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const std::string path = (program.parent_path().parent_path() / "lib/broch" / part.file).string();
  const auto refuse = [&](const std::string& found) {
    fail(Exit::plugin, path, found, part.expected, part.hint);
  };
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char* reason = dlerror();
    refuse(reason ? reason : "a file that cannot be opened");
  }
  void* address = dlsym(library, part.function);
  if (!address) refuse(std::string("no function ") + part.function);
  return address;
}

}  // namespace broch::base
