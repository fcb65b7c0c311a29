// picture.cpp: opening the drawing half when a picture is wanted.
#include "plot/picture.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "base/error.hpp"

namespace broch::plot {
namespace {

namespace fs = std::filesystem;

// <prefix>/lib/broch/broch_plot.so, seen from <prefix>/bin/broch.
std::string library_path() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path().parent_path() / "lib/broch/broch_plot.so").string();
}

[[noreturn]] void refuse(const std::string& path, const std::string& found) {
  throw base::Error(
      base::Exit::plugin,
      {path, found, "the half of Broch that draws with cairo",
       "install libcairo2 (apt-get install libcairo2), or build and install Broch again"});
}

DrawFunction* open_library() {
  const std::string path = library_path();
  // Never closed: fontconfig keeps what it read about fonts.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char* reason = dlerror();
    refuse(path, reason ? reason : "a file that cannot be opened");
  }
  void* address = dlsym(library, kDrawSymbol);
  if (!address) refuse(path, std::string("no function ") + kDrawSymbol);
  return reinterpret_cast<DrawFunction*>(address);
}

}  // namespace

std::string draw_png(const Picture& picture) {
  std::string bytes, error;
  if (!open_library()(picture, bytes, error))
    throw base::Error(base::Exit::data, {"the picture", error, "a drawing", ""});
  return bytes;
}

}  // namespace broch::plot
