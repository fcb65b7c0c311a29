// shards.hpp: several files, each with an index, as one list of data points.
#pragma once
#include <algorithm>
#include <archive/source.hpp>
#include <broch/broch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "containers/index_cache.hpp"
#include "containers/paths.hpp"

namespace containers {

using broch::archive::File;
using broch::archive::Files;
using broch::archive::Source;

// What differs between kinds of files.
template <class Index>
struct ShardFormat {
  const char* kind;  // for IndexCache
  Index (*make)(const Source& source);
  std::string (*text)(const Index& index);
  std::optional<Index> (*parse)(std::string_view text, uint64_t file_size);
  uint64_t (*count)(const Index& index);  // of samples
};

// Const after construction, except for the files that are open. Any thread.
template <class Index>
class Shards {
 public:
  // Expands the patterns, and loads or makes the index of each file. folder: see IndexCache.
  Shards(const broch::Host& host, const std::vector<std::string>& patterns,
         const std::string& folder, const ShardFormat<Index>& format)
      : Shards(host, expand_paths(patterns), IndexCache(folder, format.kind), format) {}

  // The number of samples.
  uint64_t size() const { return ends_.back(); }

  struct Place {
    std::shared_ptr<const File> file;
    const Index& index;
    uint64_t number;  // of the sample in the file
  };
  Place at(uint64_t sample) {
    const size_t shard =
        size_t(std::upper_bound(ends_.begin(), ends_.end(), sample) - ends_.begin());
    return {files_.open(shard), indices_[shard], sample - (shard == 0 ? 0 : ends_[shard - 1])};
  }

 private:
  Shards(const broch::Host& host, const std::vector<std::string>& paths, const IndexCache& cache,
         const ShardFormat<Index>& format)
      : files_(paths) {
    size_t made = 0, unsaved = 0;
    for (const std::string& path : paths) {
      const File file(path);
      const std::optional<std::string> text = cache.load(file);
      std::optional<Index> index = text ? format.parse(*text, file.size()) : std::nullopt;
      if (!index) {
        if (made++ == 0)
          host.info(path + " and possibly other files are read once to create an index");
        index = format.make(file);
        unsaved += !cache.save(file, format.text(*index));
      }
      indices_.push_back(*std::move(index));
      ends_.push_back(format.count(indices_.back()) + (ends_.empty() ? 0 : ends_.back()));
    }
    if (unsaved > 0)
      host.info(std::to_string(unsaved) + " of " + std::to_string(paths.size()) +
                " index files could not be written, for example " + cache.path_of(File(paths[0])) +
                "; set index_folder to a folder that can be written to");
  }

  std::vector<Index> indices_;
  std::vector<uint64_t> ends_;  // the number of samples up to the end of each file
  Files files_;
};

}  // namespace containers
