// catalog.hpp: which components are available, and from which file each one comes. Files are only
// read, not loaded, and nothing is cached between runs.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/search.hpp"

namespace broch::plugins {

// A file or folder that the search found but that cannot be used.
struct Broken {
  std::string path;
  std::string reason;  // the whole message; it begins with the path
};

// A component that is ignored because a file that comes earlier in the search also has it.
struct Shadowed {
  std::string id;
  std::string path;
  std::string by;  // the earlier file
};

// The references are valid as long as the catalog.
struct Found {
  const Component& component;
  const PluginFile& file;
};

class Catalog {
 public:
  // files are named in the manifest, so each must be usable; otherwise the constructor throws Error
  // (plugin), as it does for a --plugin-path that is not a folder. Unusable files that the search
  // finds are only listed in broken(). The search reads each place and the folders directly inside
  // it, sorted by name.
  Catalog(const std::vector<std::string>& files, std::vector<Place> places);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  // The component with this id and its file, if this host can load it. Otherwise throws Error
  // (plugin), which names the most similar id, the folders searched and the broken files.
  Found find(std::string_view id) const;

  // The metadata of the component with this id; nullptr: there is none.
  const Component* look_up(std::string_view id) const;
  std::vector<Found> components() const;  // everything that find can return, sorted by id
  const std::vector<PluginFile>& files() const { return files_; }
  const std::vector<Broken>& broken() const { return broken_; }
  const std::vector<Shadowed>& shadowed() const { return shadowed_; }
  const std::vector<Place>& places() const { return places_; }

 private:
  struct Index {
    size_t file, component;
  };

  void search(const Place& place);
  // Reads the place and the folders directly inside it, which belong to packages.
  void read_place(const Place& place);
  // Adds the files of a folder, and returns the folders inside it.
  std::vector<std::string> read_folder(const std::string& folder, const Place& place);
  void add_found(const std::string& path, const Place& place);
  void add(PluginFile file);
  [[noreturn]] void fail_unknown(std::string_view id) const;

  std::vector<PluginFile> files_;
  std::vector<Place> places_;
  std::vector<Broken> broken_;
  std::vector<Shadowed> shadowed_;
  std::map<std::string, Index, std::less<>> ids_;
};

}  // namespace broch::plugins
