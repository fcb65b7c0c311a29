// load_tests.cpp: tests that load the file.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "abi/crash.hpp"
#include "base/deadline.hpp"
#include "process_state.hpp"
#include "subject.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

// Only loads the file, without the other checks of plugins::load.
void* load_plainly(Subject& subject) {
  subject.backend_of_file();
  const plugins::PluginFile& file = subject.file();
  const std::string path = "/proc/self/fd/" + std::to_string(file.descriptor->number());
  const base::Deadline deadline(file.path, "loading");
  abi::note_loading("loading", file.path.c_str());
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  abi::note_loading(nullptr, nullptr);
  if (handle) return handle;
  std::string words = dlerror();
  if (words.starts_with(path + ": ")) words.erase(0, path.size() + 2);
  throw Failed("cannot be loaded: " + words +
               "\n  hint: link it with -Wl,--no-undefined and build it on this machine");
}

// dlclose returns success even if the library stays in memory, so this reads the list of mapped
// files.
bool is_mapped(const plugins::PluginFile& file) {
  std::ifstream maps("/proc/self/maps");
  std::string inode(1, ' ');
  inode.append(std::to_string(file.inode)).append(1, ' ');
  for (std::string line; std::getline(maps, line);)
    if (line.find(inode) != std::string::npos) return true;
  return false;
}

std::string test_load(Subject& subject) {
  void* const handle = load_plainly(subject);
  if (!dlsym(handle, plugins::kEntrySymbol))
    throw Failed(std::string("has no ") + plugins::kEntrySymbol + " once it is loaded");
  return "";
}

std::string test_quiet_load(Subject& subject) {
  subject.backend_of_file();
  // Starts the thread that Deadline uses, because it stays.
  { const base::Deadline first("", "", 1); }
  const ProcessState before = process_state();
  load_plainly(subject);
  const std::string changed = difference(before, process_state());
  if (!changed.empty())
    throw Failed(
        "loading it changed the process: " + changed +
        "\n  hint: do it in create, and undo it in destroy; link without -ffast-math, which "
        "changes floating-point control");
  return "";
}

std::string test_unload(Subject& subject) {
  void* const handle = load_plainly(subject);
  if (!is_mapped(subject.file())) throw Skipped("the file is not found in /proc/self/maps");
  dlclose(handle);
  if (is_mapped(subject.file()))
    throw Failed(
        "it is still in memory after dlclose, which a UNIQUE symbol, -z nodelete or a "
        "thread_local object is the cause of");
  return "";
}

std::string test_metadata(Subject& subject) {
  subject.library();
  return "";
}

}  // namespace

std::vector<Test> load_tests() {
  return {
      {"load", "loads with all symbols resolved, and the process ends normally", Stage::load,
       &test_load},
      {"quiet-load", "loading starts no threads, opens no files and changes nothing", Stage::create,
       &test_quiet_load},
      {"unload", "is removed from memory when it is unloaded", Stage::create, &test_unload},
      {"metadata", "code and metadata describe the same components", Stage::create, &test_metadata},
  };
}

}  // namespace broch::check
