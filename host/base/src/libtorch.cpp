// libtorch.cpp: finds the folder, checks the version, loads the library.
#include "base/libtorch.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::base {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libtorch_cpu.so";
constexpr const char* kVersion = "2.11.";

// "": the program belongs to no Python package.
std::string python() {
  const char* const named = std::getenv("BROCH_PYTHON");
  return named ? named : "";
}

[[noreturn]] void refuse(const std::string& found) {
  throw Error(Exit::plugin,
              {.where = python().empty() ? "environment variable BROCH_TORCH_DIR"
                                         : "the package torch of " + python(),
               .found = found,
               .expected = "LibTorch 2.11: the folder torch, or the one that contains it",
               .hint = how_to_get_libtorch("unpack the PyPI wheel of torch 2.11.0 and name its "
                                           "folder, or leave the variable out")});
}

fs::path folder_of(const std::string& named) {
  for (const fs::path& folder : {fs::path(named), fs::path(named) / "torch"}) {
    std::error_code error;
    if (fs::exists(folder / "lib" / kLibrary, error)) return fs::absolute(folder);
  }
  refuse(base::quoted(named) + " has neither lib/" + kLibrary + " nor torch/lib/" + kLibrary);
}

// The version of a wheel or of the archive that contains LibTorch alone; "" if neither file gives
// it.
std::string version_of(const fs::path& folder) {
  std::ifstream alone(folder / "build-version");
  if (std::string version; std::getline(alone, version)) return version;
  std::ifstream wheel(folder / "version.py");
  const std::string mark = "__version__ = '";
  for (std::string line; std::getline(wheel, line);)
    if (line.starts_with(mark))
      return line.substr(mark.size(), line.find('\'', mark.size()) - mark.size());
  return "";
}

// The file of the LibTorch that is loaded; empty if none is.
fs::path loaded() {
  void* const library = dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return {};
  link_map* map = nullptr;
  const fs::path file = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : kLibrary;
  dlclose(library);
  return file;
}

}  // namespace

void load_named_libtorch() {
  const char* const named = std::getenv("BROCH_TORCH_DIR");
  if (!named || !*named || !loaded().empty()) return;
  const fs::path folder = folder_of(named);
  const std::string version = version_of(folder);
  if (!version.empty() && !version.starts_with(kVersion))
    refuse("version " + version + " in " + folder.string());
  const std::string library = (folder / "lib" / kLibrary).string();
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return;
  const char* const why = dlerror();
  refuse(why ? why : library + " cannot be loaded");
}

std::string load_cuda_of_libtorch() {
  const fs::path cpu = loaded();
  if (cpu.empty()) return "";
  const fs::path cuda = cpu.parent_path() / "libtorch_cuda.so";
  if (dlopen(cuda.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE)) return "";
  const char* const why = dlerror();
  return why ? why : cuda.string() + " cannot be loaded";
}

std::string how_to_get_libtorch(const std::string& otherwise) {
  if (python().empty()) return otherwise;
  return "run " + python() +
         " -m pip install 'torch==2.11.*'; for the CPU alone, much less is "
         "downloaded with --index-url https://download.pytorch.org/whl/cpu behind it";
}

}  // namespace broch::base
