// library.cpp: loads with Boost.DLL, and checks the file before and after.
#include "plugins/library.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/dll/shared_library.hpp>
#include <cstring>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"

namespace broch::plugins {
namespace {

using base::Exit;

// Maps the file, so that the hash is made of the same pages that the loader will map.
std::string hash_file(const PluginFile& file) {
  void* bytes = mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.descriptor->number(), 0);
  if (bytes == MAP_FAILED)
    base::fail(Exit::plugin, file.path, std::string("cannot be mapped: ") + std::strerror(errno),
               "a readable file", "check free memory");
  const std::string hash = base::xxh128(bytes, file.size);
  munmap(bytes, file.size);
  return hash;
}

// The descriptor stays the same when the file is overwritten in place, so size, time and content
// are compared.
void check_unchanged(const PluginFile& file) {
  struct stat status;
  bool same = fstat(file.descriptor->number(), &status) == 0 &&
              uint64_t(status.st_size) == file.size &&
              status.st_mtim.tv_sec == file.modified.tv_sec &&
              status.st_mtim.tv_nsec == file.modified.tv_nsec;
  if (same) {  // file times only have a resolution of milliseconds
    const ElfFacts now = read_elf(Bytes(file.descriptor->number(), file.size, file.path));
    same = now.metadata == file.facts.metadata && now.entry == file.facts.entry;
  }
  if (!same)
    base::fail(Exit::plugin, file.path, "changed since it was listed", "the same file",
               "run again");
}

bool is_torch(const std::string& needed) {
  return needed.starts_with("libtorch") || needed.starts_with("libc10");
}

// Looks the library up by soname, as the loader would; does not load anything.
bool is_loaded(const std::string& needed) {
  void* const handle = dlopen(needed.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

void check_torch(const PluginFile& file, const std::string& host) {
  const std::string& tag = file.metadata.torch;
  for (const std::string& needed : file.facts.needed)
    if (is_torch(needed) && tag.empty())
      base::fail(
          Exit::plugin, file.path, "needs " + needed + ", which its metadata does not mention",
          "\"torch\" in its metadata",
          "build it with broch_add_plugin(name … TORCH) and broch/cpp/torch.hpp, or do not link "
          "LibTorch");
  if (tag.empty()) return;
  if (host.empty())
    base::fail(Exit::plugin, file.path, "built against LibTorch " + base::quoted(tag),
               "a library without LibTorch, since this runtime has none", "use --runtime torch");
  if (tag != host)
    base::fail(Exit::plugin, file.path, "built against LibTorch " + base::quoted(tag),
               "LibTorch " + base::quoted(host) + ", which this host runs on",
               "rebuild the library against that LibTorch");
  for (const std::string& needed : file.facts.needed)
    if (is_torch(needed) && !is_loaded(needed))
      base::fail(Exit::plugin, file.path, "needs " + needed + ", which this host has not loaded",
                 "libtorch_cpu.so and libc10.so alone: the loader would search for others",
                 "build it with broch_add_plugin(name … TORCH)");
}

// The path contains the process id and not "self", so that a debugger can open it, too.
std::string loader_path(const Descriptor& descriptor) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor.number());
}

// Extracts the loader's own message from "… (dlerror system message: name: words): …". The name is
// removed, because /proc/…/fd/… tells a reader nothing.
std::string loader_words(const std::string& text, const std::string& name) {
  const std::string mark = "dlerror system message: ";
  const size_t found = text.find(mark);
  if (found == std::string::npos) return text;
  const size_t end = text.rfind("): ");
  std::string words = text.substr(found + mark.size(), end - found - mark.size());
  if (words.starts_with(name + ": ")) words.erase(0, name.size() + 2);
  return words;
}

class Breadcrumb {
 public:
  Breadcrumb(const LoadOptions& options, const std::string& file) : set_(options.breadcrumb) {
    if (set_ != nullptr) set_("loading", file.c_str());
  }
  ~Breadcrumb() {
    if (set_ != nullptr) set_(nullptr, nullptr);
  }
  Breadcrumb(const Breadcrumb&) = delete;
  Breadcrumb& operator=(const Breadcrumb&) = delete;

 private:
  void (*set_)(const char*, const char*);
};

// What is never released. The library is kept because its threads, deleters and tables may be in
// use until the very end of the process. The descriptor is kept because the loader compares the
// name of a library with those already loaded before it looks at the file, so the number in
// /proc/PID/fd/NUMBER must never be reused for another file.
struct Kept {
  std::shared_ptr<const Descriptor> descriptor;
  boost::dll::shared_library library;
};

Kept& keep(const PluginFile& file) {
  static auto* all = new std::list<Kept>;  // never destroyed
  return all->emplace_back(Kept{file.descriptor, {}});
}

const broch_entry* load_entry(const PluginFile& file, const LoadOptions& options,
                              boost::dll::shared_library& library) {
  using namespace boost::dll::load_mode;
  const std::string path = loader_path(*file.descriptor);
  const base::Deadline deadline(file.path, "loading", options.seconds);
  try {
    const Breadcrumb breadcrumb(options, file.path);
    library.load(path, rtld_now | rtld_local);
    return &library.get<const broch_entry>(kEntrySymbol);
  } catch (const std::exception& error) {
    base::fail(Exit::plugin, file.path, "cannot be loaded: " + loader_words(error.what(), path),
               "a library that imports only libc, libm and the C++ runtime",
               "link it with -Wl,--no-undefined and build it on this machine");
  }
}

EntryFields fields_of(const broch_entry& entry) {
  return {entry.magic,          entry.struct_size, entry.abi_major,      entry.abi_minor,
          entry.min_host_minor, entry.flags,       entry.component_count};
}

void check_vtable(const broch_component& component, const std::string& where) {
  const broch_component_vtable* table = component.vtable;
  if (table == nullptr)
    base::fail(Exit::plugin, where, "vtable is NULL", "a broch_component_vtable",
               "fill it in and rebuild");
  if (table->struct_size < sizeof(broch_component_vtable))
    base::fail(Exit::plugin, where, "vtable has " + std::to_string(table->struct_size) + " bytes",
               "at least " + std::to_string(sizeof(broch_component_vtable)),
               "set struct_size to sizeof(broch_component_vtable) and rebuild");
  const char* missing = table->create == nullptr          ? "create"
                        : table->get_interface == nullptr ? "get_interface"
                        : table->destroy == nullptr       ? "destroy"
                                                          : nullptr;
  if (missing != nullptr)
    base::fail(Exit::plugin, where, std::string(missing) + " is NULL", "a function",
               "fill it in and rebuild");
}

// component_count can be trusted here: it was compared with the metadata before.
std::map<std::string, const broch_component*> components_of(const broch_entry& entry,
                                                            const std::string& path) {
  if (entry.components == nullptr)
    base::fail(Exit::plugin, path, "components of broch_entry_v1 is NULL", "an array",
               "use BROCH_PLUGIN");
  std::map<std::string, const broch_component*> components;
  for (uint64_t i = 0; i < entry.component_count; ++i) {
    const broch_component& component = entry.components[i];
    const std::string where = path + ": component " + std::to_string(i);
    if (component.id == nullptr || component.role == nullptr)
      base::fail(Exit::plugin, where, "id or role is NULL", "both as in the metadata",
                 "fill them in and rebuild");
    if (!components.emplace(component.id, &component).second)
      base::fail(Exit::plugin, where, "id " + base::quoted(component.id) + " twice", "each id once",
                 "rename one of them");
    check_vtable(component, path + ": component " + base::quoted(component.id));
  }
  return components;
}

void check_code(const broch_entry& entry, const PluginFile& file) {
  check_entry(fields_of(entry), file.path);
  const auto& described = file.metadata.components;
  if (entry.component_count != described.size())
    base::fail(Exit::plugin, file.path,
               base::counted(int64_t(entry.component_count), "component") + " in the code",
               std::to_string(described.size()) + ", as many as in the metadata",
               "make code and metadata agree and rebuild");
  const auto components = components_of(entry, file.path);
  for (const Component& component : described) {
    const auto code = components.find(component.id);
    if (code == components.end())
      base::fail(
          Exit::plugin, file.path, "the metadata describes " + base::quoted(component.id),
          "a component of that id, where the code has " + base::quoted(entry.components[0].id),
          "make code and metadata agree and rebuild");
    if (code->second->role != component.role)
      base::fail(Exit::plugin, file.path + ": component " + base::quoted(component.id),
                 "role " + base::quoted(code->second->role) + " in the code",
                 base::quoted(component.role) + ", as in the metadata",
                 "make code and metadata agree and rebuild");
  }
}

void check_text(const broch_entry& entry, const PluginFile& file) {
  for (const std::string& text : file.facts.metadata)
    if (entry.meta_json != nullptr && text == entry.meta_json) return;
  base::fail(Exit::plugin, file.path,
             "meta_json of broch_entry_v1 differs from section .broch.meta",
             "the same text in both", "define the entry with BROCH_PLUGIN of broch/entry.h");
}

// Checks everything that must hold before code of the file runs. Returns its hash.
std::string check_before(const PluginFile& file, const LoadOptions& options) {
  check_unchanged(file);
  check_entry(*file.facts.entry, file.path);
  check_torch(file, options.torch);
  return hash_file(file);
}

void check_after(const broch_entry& entry, const PluginFile& file) {
  check_code(entry, file);
  check_text(entry, file);
}

}  // namespace

Library::Library(const PluginFile& file, const LoadOptions& options)
    : file_(file), xxh128_(check_before(file_, options)) {
  entry_ = load_entry(file_, options, keep(file_).library);
  check_after(*entry_, file_);
}

const broch_component& Library::component(std::string_view id) const {
  for (uint64_t i = 0; i < entry_->component_count; ++i)
    if (id == entry_->components[i].id) return entry_->components[i];
  base::fail(Exit::plugin, path(), "no component " + base::quoted(id), "an id of its metadata",
             "look at `broch plugin inspect`");
}

Identity Library::identity(std::string_view id) const {
  for (const Component& described : metadata().components)
    if (described.id == id) return {described.id, described.version, path(), xxh128(), build_id()};
  base::fail(Exit::plugin, path(), "no component " + base::quoted(id), "an id of its metadata",
             "look at `broch plugin inspect`");
}

const Library& load(const PluginFile& file, const LoadOptions& options) {
  using Key = std::pair<dev_t, ino_t>;
  static std::mutex mutex;
  // Leaked on purpose: a run never unloads a library.
  static auto* libraries = new std::map<Key, std::unique_ptr<Library>>;
  const std::lock_guard lock(mutex);
  auto& library = (*libraries)[{file.device, file.inode}];
  if (library == nullptr) library.reset(new Library(file, options));
  return *library;
}

struct Trial::Loaded {
  std::shared_ptr<const Descriptor> descriptor;  // open while the loader knows its number
  boost::dll::shared_library library;
};

Trial::Trial(const PluginFile& file, const LoadOptions& options)
    : loaded_(std::make_unique<Loaded>(Loaded{file.descriptor, {}})) {
  check_before(file, options);
  try {
    entry_ = load_entry(file, options, loaded_->library);
    check_after(*entry_, file);
  } catch (...) {
    unload();
    throw;
  }
}

Trial::~Trial() { unload(); }

bool Trial::unload() {
  if (!loaded_) return true;
  const std::string path = loader_path(*loaded_->descriptor);
  entry_ = nullptr;
  loaded_->library.unload();
  if (is_loaded(path)) {
    static auto* stay = new std::list<std::unique_ptr<Loaded>>;  // never destroyed, see Kept
    stay->push_back(std::move(loaded_));
    return false;
  }
  loaded_.reset();
  return true;
}

}  // namespace broch::plugins
