// catalog.hpp: which components there are and which file each comes from. Listing is reading:
// nothing is loaded, nothing is kept between runs.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/search.hpp"

namespace broch::plugins {

// A file or folder that was found by searching and cannot be used.
struct Broken {
  std::string path;
  std::string reason;  // the whole message, which begins with the path
};

// A component that an earlier file of the search has too.
struct Shadowed {
  std::string id;
  std::string path;
  std::string by;  // the file that wins
};

// Both stay valid as long as the catalog.
struct Found {
  const Component& component;
  const PluginFile& file;
};

class Catalog {
 public:
  // files were named by a person (in the manifest) and must be good: Error (plugin) otherwise, as
  // for a --plugin-path that is no folder. What the search finds and cannot use is listed as
  // broken. Each place is read together with the folders right below it, by name order.
  Catalog(const std::vector<std::string>& files, std::vector<Place> places);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  // The component that this id means and its file, if this host can load it. Error (plugin)
  // otherwise, with the nearest id, the places searched and the files that were broken.
  Found find(std::string_view id) const;

  // What its library says of the component; NULL: there is none of this id.
  const Component* look_up(std::string_view id) const;
  std::vector<Found> components() const;  // what find would look among, by id
  const std::vector<PluginFile>& files() const { return files_; }
  const std::vector<Broken>& broken() const { return broken_; }
  const std::vector<Shadowed>& shadowed() const { return shadowed_; }
  const std::vector<Place>& places() const { return places_; }

 private:
  struct Index {
    size_t file, component;
  };

  void search(const Place& place);
  void read_folder(const std::string& folder, const Place& place, bool packages);
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
