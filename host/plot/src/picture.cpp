// picture.cpp: opens broch_plot.so when a picture is drawn.
#include "plot/picture.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "base/error.hpp"

namespace broch::plot {
namespace {

namespace fs = std::filesystem;

// <prefix>/lib/broch/broch_plot.so, if the program is <prefix>/bin/broch.
std::string library_path() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path().parent_path() / "lib/broch/broch_plot.so").string();
}

[[noreturn]] void refuse(const std::string& path, const std::string& found) {
  throw base::Error(
      base::Exit::plugin,
      {path, found, "the part of Broch that draws with cairo",
       "install libcairo2 (apt-get install libcairo2), or build and install Broch again"});
}

DrawFunction* open_library() {
  const std::string path = library_path();
  // Never closed, because fontconfig keeps its data about fonts.
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

std::optional<Format> format_of(std::string_view file) {
  if (file.ends_with(".png")) return Format::png;
  if (file.ends_with(".svg")) return Format::svg;
  if (file.ends_with(".pdf")) return Format::pdf;
  return std::nullopt;
}

bool is_picture(std::string_view beginning) {
  return beginning.starts_with("\x89PNG") || beginning.starts_with("%PDF-") ||
         beginning.starts_with("<svg") ||
         (beginning.starts_with("<?xml") && beginning.find("<svg") != beginning.npos);
}

std::string draw(const Picture& picture, Format format) {
  std::string bytes, error;
  if (!open_library()(picture, format, bytes, error))
    throw base::Error(base::Exit::data, {"the picture", error, "a drawing", ""});
  return bytes;
}

}  // namespace broch::plot
