// open.cpp: opens broch_http.so when a server is wanted.
#include <dlfcn.h>

#include <filesystem>

#include "base/error.hpp"
#include "http/server.hpp"

namespace broch::http {
namespace {

namespace fs = std::filesystem;

// <prefix>/lib/broch/broch_http.so, if the program is <prefix>/bin/broch.
std::string library_path() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path().parent_path() / "lib/broch/broch_http.so").string();
}

[[noreturn]] void refuse(const std::string& path, const std::string& found) {
  base::fail(base::Exit::plugin, path, found, "the part of Broch that speaks HTTP",
             "install libssl3 (apt-get install libssl3), or build and install Broch again");
}

OpenFunction* open_library() {
  const std::string path = library_path();
  // Never closed, because OpenSSL cleans up when the process ends.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char* reason = dlerror();
    refuse(path, reason ? reason : "a file that cannot be opened");
  }
  void* address = dlsym(library, kOpenSymbol);
  if (!address) refuse(path, std::string("no function ") + kOpenSymbol);
  return reinterpret_cast<OpenFunction*>(address);
}

}  // namespace

std::unique_ptr<Server> open_server(const Options& options, Handler& handler) {
  std::string where, found, expected;
  Server* const server = open_library()(options, handler, where, found, expected);
  if (!server) base::fail(base::Exit::data, where, found, expected);
  return std::unique_ptr<Server>(server);
}

}  // namespace broch::http
