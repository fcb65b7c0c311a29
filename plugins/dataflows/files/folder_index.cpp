// folder_index.cpp: reads folders and lists. folder_index_file.cpp has the index file.
#include "files/folder_index.hpp"

#include <strings.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "archive/lines.hpp"
#include "arrays/diagnostic.hpp"

namespace files {
namespace {

namespace fs = std::filesystem;
using arrays::quoted;
using arrays::refuse;

bool has_extension(const std::string& name, const std::vector<std::string>& extensions) {
  if (extensions.empty()) return true;
  return std::any_of(extensions.begin(), extensions.end(), [&](const std::string& extension) {
    return name.size() > extension.size() &&
           strcasecmp(name.c_str() + name.size() - extension.size(), extension.c_str()) == 0;
  });
}

struct Entries {
  std::vector<std::string> folders, files;  // names, sorted
};

Entries entries_of(const std::string& path) {
  Entries entries;
  std::error_code error;
  fs::directory_iterator at(path, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code ignored;  // a link that leads nowhere is no folder
    const bool is_folder = at->is_directory(ignored);
    (is_folder ? entries.folders : entries.files).push_back(at->path().filename().string());
  }
  if (error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system)
    refuse(path, error.message(), "room for one more open folder",
           "raise the limit of open files (ulimit -n)", BROCH_E_RESOURCE_EXHAUSTED);
  if (error)
    refuse(path, error.message(), "a folder that can be read",
           "check the name and the rights; a relative name belongs to the folder of the manifest");
  std::sort(entries.folders.begin(), entries.folders.end());
  std::sort(entries.files.begin(), entries.files.end());
  return entries;
}

// All folders below this one and itself, relative to root, sorted by path.
void collect(const std::string& root, const std::string& path, int depth,
             std::vector<std::string>& found) {
  if (depth > 64)
    refuse(root + "/" + path, "more than 64 folders in one another", "fewer",
           "look for a symbolic link to a parent folder");
  found.push_back(path);
  for (const std::string& name : entries_of(root + "/" + path).folders)
    collect(root, path + "/" + name, depth + 1, found);
}

[[noreturn]] void refuse_without_files(const std::string& folder,
                                       const std::vector<std::string>& extensions) {
  std::string wanted;
  for (const std::string& extension : extensions) wanted += " " + extension;
  refuse(folder, "no file",
         extensions.empty() ? "at least one" : "at least one that ends in" + wanted,
         "remove the folder, or correct the option extensions");
}

// A line "PATH LABEL" of a list.
struct ListRow {
  std::string_view path;
  int64_t label = 0;
};
ListRow parse_row(std::string_view text, const std::string& list, uint64_t line) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  const size_t blank = text.find_last_of(" \t");
  const size_t path_size = text.find_last_not_of(" \t", blank) + 1;
  const std::string_view word = blank == text.npos ? text : text.substr(blank + 1);
  ListRow row{text.substr(0, path_size)};
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), row.label);
  if (blank == text.npos || path_size == 0 || error != std::errc() ||
      stop != word.data() + word.size())
    refuse(list + ": line " + std::to_string(line), quoted(text), "PATH LABEL",
           "write a path, a blank and a whole number");
  return row;
}

}  // namespace

std::string listed(const std::vector<std::string>& words) {
  constexpr size_t kMost = 12;
  std::string text;
  for (size_t i = 0; i < std::min(words.size(), kMost); ++i) text += (i > 0 ? ", " : "") + words[i];
  if (words.size() > kMost) text += ", … and " + std::to_string(words.size() - kMost) + " more";
  return text;
}

int64_t modified_at(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return -1;
  return int64_t(facts.st_mtim.tv_sec) * 1000000000 + facts.st_mtim.tv_nsec;
}

FolderIndex FolderIndex::scan(const std::string& root, const std::vector<std::string>& extensions,
                              const std::vector<std::string>& classes) {
  FolderIndex index;
  // Its time is taken before its entries are read, so that a change in between is noticed later.
  index.folders_.push_back({"", modified_at(root), -1});
  const std::vector<std::string> folders = entries_of(root).folders;
  if (folders.empty())
    refuse(root, "no folder in it", "one folder per class",
           "name the folder above the classes, or set list to a file of paths and labels");
  index.classes_given_ = !classes.empty();
  index.classes_ = index.classes_given_ ? classes : folders;
  if (index.classes_given_)
    for (const std::string& name : folders) index.require_class(root, name);
  for (size_t label = 0; label < index.classes_.size(); ++label)
    if (std::binary_search(folders.begin(), folders.end(), index.classes_[label]))
      index.add_class(root, int64_t(label), extensions);
  if (index.own_files_.empty()) refuse_without_files(root, extensions);
  index.files_ = {index.own_files_.data(), index.own_files_.size()};
  index.names_ = {index.own_names_.data(), index.own_names_.size()};
  return index;
}

void FolderIndex::require_class(const std::string& root, const std::string& folder) const {
  if (std::find(classes_.begin(), classes_.end(), folder) == classes_.end())
    refuse(root + "/" + folder, "a folder that the option classes does not name",
           "one of " + listed(classes_), "add it at the end of classes, or move it away");
}

void FolderIndex::add_class(const std::string& root, int64_t label,
                            const std::vector<std::string>& extensions) {
  const size_t before = own_files_.size();
  std::vector<std::string> folders;
  collect(root, classes_[size_t(label)], 0, folders);
  std::sort(folders.begin(), folders.end());
  for (const std::string& folder : folders) add_folder(root, folder, label, extensions);
  if (!classes_given_ && own_files_.size() == before)
    refuse_without_files(root + "/" + classes_[size_t(label)], extensions);
}

void FolderIndex::add_folder(const std::string& root, const std::string& path, int64_t label,
                             const std::vector<std::string>& extensions) {
  const std::string full = root + "/" + path;
  folders_.push_back({path, modified_at(full), label});
  for (const std::string& name : entries_of(full).files) {
    if (!has_extension(name, extensions)) continue;
    own_files_.push_back({own_names_.size(), uint32_t(name.size()), uint32_t(folders_.size() - 1)});
    own_names_.insert(own_names_.end(), name.begin(), name.end());
  }
}

FolderIndex FolderIndex::of_list(const std::string& list) {
  FolderIndex index;
  index.folders_.emplace_back();
  index.file_ = Content(list);
  const std::string_view names = index.file_.bytes();
  std::string_view text = broch::archive::without_mark(names);
  for (uint64_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const ListRow row = parse_row(text.substr(0, end), list, line);
    index.own_files_.push_back(
        {uint64_t(row.path.data() - names.data()), uint32_t(row.path.size()), 0});
    index.labels_.push_back(row.label);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (index.own_files_.empty())
    refuse(list, "no line", "at least one PATH LABEL", "name a file with data");
  index.files_ = {index.own_files_.data(), index.own_files_.size()};
  index.names_ = {names.data(), names.size()};
  return index;
}

std::string FolderIndex::path(uint64_t i) const {
  const File& file = files_.data[i];
  const std::string& folder = folders_[file.folder].path;
  std::string path = folder.empty() ? "" : folder + "/";
  return path.append(names_.data + file.name, file.size);
}

std::vector<std::string> FolderIndex::classes_without_files() const {
  std::vector<bool> has_files(classes_.size());
  for (uint64_t i = 0; i < size(); ++i) has_files[size_t(label(i))] = true;
  std::vector<std::string> empty;
  for (size_t i = 0; i < classes_.size(); ++i)
    if (!has_files[i]) empty.push_back(classes_[i]);
  return empty;
}

int64_t FolderIndex::label(uint64_t i) const {
  return labels_.empty() ? folders_[files_.data[i].folder].label : labels_[i];
}

}  // namespace files
