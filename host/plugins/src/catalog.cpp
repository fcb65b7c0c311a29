// catalog.cpp: reads the search folders in order; the first file that has an id wins.
#include "plugins/catalog.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::plugins {
namespace {

namespace fs = std::filesystem;
using base::Diagnostic;
using base::Error;
using base::Exit;

std::vector<fs::path> sorted_entries(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    paths.push_back(it->path());
  if (error == std::errc::too_many_files_open) throw TooManyFiles(folder);
  if (error)
    throw Error(Exit::plugin, Diagnostic{folder, "cannot be read: " + error.message(),
                                         "a folder of plugins", "check the path"});
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What is found, and cannot be used, is only noted.
template <class Read>
void try_to_read(const std::string& path, std::vector<Broken>& broken, Read read) {
  try {
    read();
  } catch (const TooManyFiles&) {
    throw;
  } catch (const Error& failure) {
    broken.push_back({path, failure.what()});
  }
}

std::string describe(const std::vector<Place>& places) {
  std::vector<std::string> texts;
  for (const Place& place : places)
    texts.push_back(place.folder + " (" + origin_name(place.origin) + ")");
  return texts.empty() ? "no folder" : base::join(texts, ", ");
}

}  // namespace

Catalog::Catalog(const std::vector<std::string>& files, std::vector<Place> places)
    : places_(std::move(places)) {
  for (const std::string& path : files) {
    std::error_code error;
    if (fs::is_directory(path, error))
      read_place({path, Origin::manifest});
    else
      add(open_plugin(path, Origin::manifest));
  }
  for (const Place& place : places_) search(place);
}

void Catalog::search(const Place& place) {
  std::error_code error;
  if (place.origin != Origin::flag && !fs::exists(place.folder, error)) return;
  const auto read = [&] { read_place(place); };
  place.origin == Origin::flag ? read() : try_to_read(place.folder, broken_, read);
}

void Catalog::read_place(const Place& place) {
  for (const std::string& package : read_folder(place.folder, place))
    try_to_read(package, broken_, [&] { read_folder(package, place); });
}

std::vector<std::string> Catalog::read_folder(const std::string& folder, const Place& place) {
  check_folder(folder);
  std::vector<std::string> inner;
  for (const fs::path& path : sorted_entries(folder)) {
    std::error_code error;
    if (fs::is_directory(path, error))
      inner.push_back(path.string());
    else if (path.extension() == ".so")
      add_found(path.string(), place);
  }
  return inner;
}

void Catalog::add_found(const std::string& path, const Place& place) {
  try_to_read(path, broken_, [&] { add(open_plugin(path, place.origin, place.folder)); });
}

void Catalog::add(PluginFile file) {
  const bool again = std::any_of(files_.begin(), files_.end(), [&file](const PluginFile& other) {
    return other.device == file.device && other.inode == file.inode;
  });
  if (again) return;
  for (size_t i = 0; i < file.metadata.components.size(); ++i) {
    const std::string& id = file.metadata.components[i].id;
    const auto [winner, is_new] = ids_.try_emplace(id, Index{files_.size(), i});
    if (!is_new) shadowed_.push_back({id, file.path, files_[winner->second.file].path});
  }
  files_.push_back(std::move(file));
}

Found Catalog::find(std::string_view id) const {
  const auto it = ids_.find(id);
  if (it == ids_.end()) fail_unknown(id);
  const PluginFile& file = files_[it->second.file];
  const Component& component = file.metadata.components[it->second.component];
  if (!component.unknown_roles.empty())
    throw Error(Exit::plugin, Diagnostic{file.path + ": component " + component.id,
                                         "role " + base::quoted(component.unknown_roles.front()),
                                         "one of " + base::join(known_roles(), ", "),
                                         "the component needs a newer host: update Broch"});
  check_entry(*file.facts.entry, file.path);
  return {component, file};
}

const Component* Catalog::look_up(std::string_view id) const {
  const auto it = ids_.find(id);
  return it == ids_.end() ? nullptr
                          : &files_[it->second.file].metadata.components[it->second.component];
}

std::vector<Found> Catalog::components() const {
  std::vector<Found> all;
  for (const auto& [id, index] : ids_)
    all.push_back({files_[index.file].metadata.components[index.component], files_[index.file]});
  return all;
}

void Catalog::fail_unknown(std::string_view id) const {
  std::vector<std::string> known, last_words;
  for (const auto& [name, index] : ids_) {
    known.push_back(name);
    last_words.push_back(name.substr(name.rfind('.') + 1));
  }
  std::string near = base::nearest(id, known);
  if (near.empty()) near = base::nearest(id, last_words);
  std::string hint = near.empty() ? "" : "did you mean " + base::quoted(near) + "? ";
  hint += "searched " + describe(places_);
  for (const Broken& broken : broken_) hint += "\n  hint: not usable: " + broken.reason;
  throw Error(Exit::plugin, Diagnostic{"component " + base::quoted(id), "no plugin has it",
                                       "one of the " + std::to_string(known.size()) +
                                           " ids that `broch plugin ls` shows",
                                       hint});
}

}  // namespace broch::plugins
