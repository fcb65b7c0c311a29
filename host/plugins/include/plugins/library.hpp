// library.hpp: a plugin file in memory.
#pragma once
#include <broch/entry.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.hpp"
#include "plugins/file.hpp"

namespace broch::plugins {

// Whose code ran: kept in run records and checkpoints.
struct Identity {
  std::string id;
  std::string version;
  std::string file;
  std::string xxh128;    // of the whole file, 32 hexadecimal digits
  std::string build_id;  // GNU build-id, "" without one
};

struct LoadOptions {
  double seconds = base::kLoadSeconds;
  // Build of the LibTorch that is loaded, which a library's "torch" must equal; "": none is.
  std::string torch;
  // Called before foreign code runs with what is done and the file, afterwards with NULLs, so that
  // a handler of SIGSEGV can name it. May be NULL.
  void (*breadcrumb)(const char* what, const char* file) = nullptr;
};

// Constant after loading and alive as long as the process.
class Library {
 public:
  const std::string& path() const { return file_.path; }
  const std::string& xxh128() const { return xxh128_; }
  const std::string& build_id() const { return file_.facts.build_id; }
  const broch_entry& entry() const { return *entry_; }
  const Metadata& metadata() const { return file_.metadata; }

  // The code of a component of this library. Throws Error (plugin) when it has no such id.
  const broch_component& component(std::string_view id) const;
  Identity identity(std::string_view id) const;

 private:
  friend const Library& load(const PluginFile&, const LoadOptions&);
  Library(const PluginFile& file, const LoadOptions& options);

  const PluginFile file_;
  std::string xxh128_;
  const broch_entry* entry_ = nullptr;
};

// Checks the file once more, loads it through the descriptor it was read with and compares its
// code with its metadata. A file is loaded once; later calls give the same library. Throws Error
// (plugin). [any thread; one load at a time]
const Library& load(const PluginFile& file, const LoadOptions& options = {});

// A library for as long as somebody looks at it. For checks, in a process that holds no instance of
// it and does not train: a run never unloads, since threads, deleters and tables of a plugin may be
// in use until the end of the process.
class Trial {
 public:
  // As load(), of a file that was not loaded so far. Throws Error (plugin).
  explicit Trial(const PluginFile& file, const LoadOptions& options = {});
  ~Trial();  // unloads
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Borrowed until the library is unloaded.
  const broch_entry& entry() const { return *entry_; }
  // True when nothing of it is left in the process: with UNIQUE symbols, -z nodelete or threads
  // that have thread-local objects of it a library stays, whatever the loader says.
  bool unload();

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
  const broch_entry* entry_;
};

}  // namespace broch::plugins
