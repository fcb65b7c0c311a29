// file.hpp: one plugin file, opened, trusted or refused, and read without loading it.
#pragma once
#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <memory>
#include <string>

#include "plugins/elf.hpp"
#include "plugins/metadata.hpp"

namespace broch::plugins {

// Owns an open file.
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

// Why a file was looked at, in order of precedence.
enum class Origin { manifest, flag, environment, user, installed };
// "the manifest", "--plugin-path", "BROCH_PLUGIN_PATH", "$XDG_DATA_HOME", "the installation"
const char* origin_name(Origin origin);

struct PluginFile {
  std::string path;  // as it was named or found
  Origin origin = Origin::manifest;
  // Everything below was read through it, and it is what gets hashed and loaded: a file put in
  // its place later is never looked at.
  std::shared_ptr<const Descriptor> descriptor;
  uint64_t size = 0;
  dev_t device = 0;
  ino_t inode = 0;
  timespec modified{};
  ElfFacts facts;
  Metadata metadata;
};

// Opens and reads. root is the search folder that the file must not leave through ".." or a link;
// "" for a file that a person named. Refuses a file or folder that others may write. Throws Error
// (plugin) whose place is path.
PluginFile open_plugin(const std::string& path, Origin origin, const std::string& root = "");

// Throws when anybody may write to the folder (and no sticky bit keeps them from replacing what
// is not theirs).
void check_folder(const std::string& path);

}  // namespace broch::plugins
