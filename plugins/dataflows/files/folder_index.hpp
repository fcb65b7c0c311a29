// folder_index.hpp: the files of a folder with one folder per class, or of a list.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/content.hpp"

namespace files {

// "a, b, c"; of many words the first dozen, and how many more there are.
std::string listed(const std::vector<std::string>& words);

class FolderIndex {
 public:
  // The files below root/CLASS/, in the order of torchvision's ImageFolder: by class, folder and
  // name, each by its bytes. extensions: without regard to upper and lower case; empty: all files.
  // classes: the names of the folders in the order of their labels; empty: those there are, sorted.
  // Throws Error if there is no class or no file; if a folder is none of the classes; and, without
  // classes, if one has no files.
  static FolderIndex scan(const std::string& root, const std::vector<std::string>& extensions,
                          const std::vector<std::string>& classes = {});
  // The same from an index file, if that is whole and still true: no folder below root has changed
  // since, and extensions and classes are the same. False otherwise.
  bool load(const std::string& index, const std::string& root,
            const std::vector<std::string>& extensions,
            const std::vector<std::string>& classes = {});
  // Writes an index file. False: it cannot be written, or a folder has just changed, so that a
  // later change might not be noticed.
  bool save(const std::string& index, const std::string& root,
            const std::vector<std::string>& extensions) const;
  // A text file with lines "PATH LABEL"; a path may contain blanks, a label is a whole number.
  static FolderIndex of_list(const std::string& list);

  uint64_t size() const { return files_.size; }
  std::string path(uint64_t i) const;  // relative to the root
  int64_t label(uint64_t i) const;
  const std::vector<std::string>& classes() const { return classes_; }  // indexed by label
  std::vector<std::string> classes_without_files() const;

 private:
  struct Folder {
    std::string path;      // relative to the root, "" for the root itself
    int64_t modified = 0;  // nanoseconds
    int64_t label = -1;    // -1: the root
  };
  struct File {
    uint64_t name = 0;  // where it begins in names
    uint32_t size = 0;  // of the name
    uint32_t folder = 0;
  };
  template <class T>
  struct Part {
    const T* data = nullptr;
    uint64_t size = 0;
  };

  void require_class(const std::string& root, const std::string& folder) const;
  void add_class(const std::string& root, int64_t label,
                 const std::vector<std::string>& extensions);
  void add_folder(const std::string& root, const std::string& path, int64_t label,
                  const std::vector<std::string>& extensions);
  bool parse(std::string_view bytes, const std::vector<std::string>& extensions,
             const std::vector<std::string>& classes);
  bool is_current(const std::string& root) const;

  std::vector<std::string> classes_;
  bool classes_given_ = false;  // otherwise they are the folders there are
  std::vector<Folder> folders_;
  std::vector<int64_t> labels_;  // of a list: indexed by file
  std::vector<File> own_files_;  // empty after load
  std::vector<char> own_names_;  // of a scan
  Content file_;                 // the list or the index file
  // Where these are: above, or in file_.
  Part<File> files_;
  Part<char> names_;
};

}  // namespace files
