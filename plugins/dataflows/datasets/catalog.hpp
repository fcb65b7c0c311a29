// catalog.hpp: which files the datasets consist of, from catalog.json.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/content.hpp"

namespace datasets {

struct SourceFile {
  std::string name, url;
  std::string split;                // "": of all splits
  uint64_t bytes = 0;               // 0: not known
  std::vector<std::string> sha256;  // of the versions that are known
  bool unpack = false;              // an archive, of which the files are used
};

struct DatasetFacts {
  std::string name, about, hint;
  std::vector<std::string> also_in;  // folders
  std::vector<SourceFile> files;
};

const DatasetFacts& facts_of(const std::string& dataset);

// ~/.cache/broch/datasets, or what XDG_CACHE_HOME says instead of ~/.cache.
std::string default_folder();

// Where the files of a dataset are.
class Place {
 public:
  // folder "": the default folder, or one of also_in.
  Place(const std::string& dataset, const std::string& folder, bool verify);

  // The content of the first of these files that exists. Throws Error that says which files are
  // needed, from where, and where to put them; and if a file has another checksum than the catalog.
  struct Found {
    std::string path;
    files::Content file;
  };
  Found open(const std::vector<std::string>& names) const;

 private:
  void check(const Found& found, const std::string& name) const;
  [[noreturn]] void refuse_absent(const std::vector<std::string>& names) const;

  const DatasetFacts& facts_;
  std::vector<std::string> folders_;
  bool verify_;
};

}  // namespace datasets
