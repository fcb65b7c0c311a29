// library.hpp: a plugin file that is loaded into the process.
#pragma once
#include <broch/entry.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.hpp"
#include "plugins/file.hpp"

namespace broch::plugins {

// Identifies the code that ran. Kept in run records and checkpoints.
struct Identity {
  std::string id;
  std::string version;
  std::string file;
  std::string xxh128;    // hash of the whole file, 32 hexadecimal digits
  std::string build_id;  // GNU build-id; "" if there is none
};

struct LoadOptions {
  double seconds = base::kLoadSeconds;
  // Build of the loaded LibTorch; the "torch" in a library's metadata must be equal to it. "": no
  // LibTorch is loaded.
  std::string torch;
  // Called before code of the plugin runs, with the current activity and the file; called with
  // NULLs afterwards. A handler of SIGSEGV can then name both. May be NULL.
  void (*breadcrumb)(const char* what, const char* file) = nullptr;
};

// Does not change after loading, and lives as long as the process.
class Library {
 public:
  const std::string& path() const { return file_.path; }
  const std::string& xxh128() const { return xxh128_; }
  const std::string& build_id() const { return file_.facts.build_id; }
  const broch_entry& entry() const { return *entry_; }
  const Metadata& metadata() const { return file_.metadata; }

  // Throws Error (plugin) if the library has no component with this id.
  const broch_component& component(std::string_view id) const;
  Identity identity(std::string_view id) const;

 private:
  friend const Library& load(const PluginFile&, const LoadOptions&);
  Library(const PluginFile& file, const LoadOptions& options);

  const PluginFile file_;
  std::string xxh128_;
  const broch_entry* entry_ = nullptr;
};

// Checks that the file has not changed, loads it through the descriptor that was read, and compares
// its code with its metadata. Loads each file only once; later calls return the same library.
// Throws Error (plugin). [any thread; one load at a time]
const Library& load(const PluginFile& file, const LoadOptions& options = {});

// A library that is unloaded again. Only for checks, in a process that does not train and has no
// instance of the library's components. A run never unloads a library, because the plugin's
// threads, deleters and tables may be in use until the process ends.
class Trial {
 public:
  // Like load(), for a file that has not been loaded yet. Throws Error (plugin).
  explicit Trial(const PluginFile& file, const LoadOptions& options = {});
  ~Trial();  // unloads
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Valid until the library is unloaded.
  const broch_entry& entry() const { return *entry_; }
  // Returns true if the library is really gone. It stays in the process, although the loader
  // reports success, if it has UNIQUE symbols, was linked with -z nodelete, or has thread-local
  // objects in use by a thread.
  bool unload();

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
  const broch_entry* entry_;
};

}  // namespace broch::plugins
