// file.hpp: opens a plugin file, checks whether it can be trusted, and reads it without loading it.
#pragma once
#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "plugins/elf.hpp"
#include "plugins/metadata.hpp"

namespace broch::plugins {

// Owns an open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

// Where the path of a plugin file came from, in order of precedence.
enum class Origin { manifest, flag, environment, user, installed };
// "the manifest", "--plugin-path", "BROCH_PLUGIN_PATH", "$XDG_DATA_HOME", "the installation"
const char* origin_name(Origin origin);

struct PluginFile {
  std::string path;  // as given by the user or found by the search
  Origin origin = Origin::manifest;
  // Everything below was read through this descriptor, and the same descriptor is hashed and
  // loaded. So a file that replaces this one later has no effect.
  std::shared_ptr<const Descriptor> descriptor;
  uint64_t size = 0;
  dev_t device = 0;
  ino_t inode = 0;
  timespec modified{};
  ElfFacts facts;
  Metadata metadata;
};

// Thrown instead of Error: no further file can be opened, which says nothing about this one.
struct TooManyFiles : base::Error {
  explicit TooManyFiles(const std::string& path);
};

// Opens and reads a plugin file. root: the search folder, which the file must not leave through
// ".." or a link; "" for a file that the user named. Refuses files and folders that anybody may
// write to. Throws Error (plugin) with path as its location.
PluginFile open_plugin(const std::string& path, Origin origin, const std::string& root = "");

// Throws if anybody may write to the folder, unless its sticky bit prevents users from replacing
// the files of others.
void check_folder(const std::string& path);

}  // namespace broch::plugins
