// file.cpp: opening, checks of trust, reading.
#include "plugins/file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace broch::plugins {
namespace {

using base::Exit;

#if defined(__x86_64__)
constexpr uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kHostMachine = EM_AARCH64;
#endif

// Opens without blocking, so that a pipe named x.so cannot stop the program.
std::shared_ptr<const Descriptor> open_file(const std::string& path, int flags) {
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
  if (number < 0 && (errno == EMFILE || errno == ENFILE)) throw TooManyFiles(path);
  if (number < 0)
    base::fail(Exit::plugin, path, std::string("cannot be opened: ") + std::strerror(errno),
               "a readable file", "check the path and its permissions");
  return std::make_shared<const Descriptor>(number);
}

struct stat status_of(const Descriptor& descriptor, const std::string& path) {
  struct stat status;
  if (fstat(descriptor.number(), &status) != 0)
    base::fail(Exit::plugin, path, std::string("cannot be examined: ") + std::strerror(errno),
               "a readable file", "check the path and its permissions");
  return status;
}

// The path of an open file with all links resolved. Unlike realpath, this cannot refer to another
// file in the meantime.
std::string true_path(const Descriptor& descriptor) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor.number()),
                                       error)
      .string();
}

void check_inside(const Descriptor& file, const std::string& path, const std::string& root) {
  const std::string outer = true_path(*open_file(root, O_DIRECTORY));
  const std::string inner = true_path(file);
  const std::string prefix = outer == "/" ? outer : outer + "/";
  if (outer.empty() || !inner.starts_with(prefix))
    base::fail(Exit::plugin, path, "leads to " + inner, "a file below " + root,
               "copy the file there, or name its own folder with --plugin-path");
}

void check_writers(const std::string& path, const struct stat& status) {
  if ((status.st_mode & S_IWOTH) != 0)
    base::fail(Exit::plugin, path, "anybody may write to it",
               "a file that only its owner and group can change", "run: chmod o-w '" + path + "'");
}

// In a sticky folder such as /tmp, anybody can add a file but cannot replace one of ours.
void check_neighbors(const std::string& path, const struct stat& status) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  check_folder(folder);
  const struct stat around = status_of(*open_file(folder, O_DIRECTORY), folder);
  if ((around.st_mode & S_IWOTH) != 0 && status.st_uid != geteuid() && status.st_uid != 0)
    base::fail(Exit::plugin, path, "belongs to another user, in a folder that anybody may write to",
               "a file of your own there", "copy the file to a folder of your own");
}

void check_kind(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode))
    base::fail(Exit::plugin, path, S_ISDIR(status.st_mode) ? "a folder" : "not a regular file",
               "a library that ends in .so", "name the library itself");
}

void check_machine(const ElfFacts& facts, const std::string& path) {
  if (facts.machine != kHostMachine)
    base::fail(
        Exit::plugin, path, facts.machine == EM_X86_64 ? "built for x86-64" : "built for aarch64",
        facts.machine == EM_X86_64 ? "aarch64" : "x86-64", "build the library on this machine");
}

void check_has_entry(const ElfFacts& facts, const std::string& path) {
  if (!facts.entry)
    base::fail(Exit::plugin, path, std::string("does not export ") + kEntrySymbol,
               "a library made for Broch", "define the entry with BROCH_PLUGIN of broch/entry.h");
}

}  // namespace

TooManyFiles::TooManyFiles(const std::string& path)
    : Error(Exit::plugin, {path, "cannot be opened: too many open files",
                           "a descriptor for each plugin file, of which there are often 200",
                           "raise the limit, as with: ulimit -n 1024"}) {}

Descriptor::~Descriptor() { close(number_); }

const char* origin_name(Origin origin) {
  switch (origin) {
    case Origin::manifest:
      return "the manifest";
    case Origin::flag:
      return "--plugin-path";
    case Origin::environment:
      return "BROCH_PLUGIN_PATH";
    case Origin::user:
      return "$XDG_DATA_HOME";
    case Origin::installed:
      return "the installation";
  }
  return "";
}

void check_folder(const std::string& path) {
  const struct stat status = status_of(*open_file(path, O_DIRECTORY), path);
  if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0)
    base::fail(Exit::plugin, path, "anybody may write to this folder",
               "a folder that only its owner and group can change",
               "run: chmod o-w '" + path + "'");
}

PluginFile open_plugin(const std::string& path, Origin origin, const std::string& root) {
  PluginFile file;
  file.path = path;
  file.origin = origin;
  file.descriptor = open_file(path, 0);
  const struct stat status = status_of(*file.descriptor, path);
  check_kind(path, status);
  if (!root.empty()) check_inside(*file.descriptor, path, root);
  check_writers(path, status);
  check_neighbors(path, status);
  file.size = static_cast<uint64_t>(status.st_size);
  file.device = status.st_dev;
  file.inode = status.st_ino;
  file.modified = status.st_mtim;
  file.facts = read_elf(Bytes(file.descriptor->number(), file.size, path));
  check_machine(file.facts, path);
  check_has_entry(file.facts, path);
  file.metadata = parse_metadata(file.facts.metadata, path);
  return file;
}

}  // namespace broch::plugins
