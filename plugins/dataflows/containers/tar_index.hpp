// tar_index.hpp: the samples (data points) of a shard. Consecutive files whose names are equal up
// to the first dot of the last path component are one sample, as in WebDataset; the rest of the
// name is the extension.
#pragma once
#include <archive/source.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace containers {

using broch::archive::Source;

struct TarIndex {
  struct Entry {
    uint64_t extension;  // in extensions
    uint64_t offset, size;
  };
  std::vector<std::string> extensions;  // lower case, without the point
  std::vector<uint64_t> starts;         // of each sample in entries; then the number of entries
  std::vector<Entry> entries;

  uint64_t samples() const { return starts.size() - 1; }
};

// Reads through the archive. Throws Error where it is damaged, or has an extension twice in a
// sample.
TarIndex index_tar(const Source& source);

// For IndexCache. parse: no value if bytes are none that text_of gave for an archive of this size.
std::string text_of(const TarIndex& index);
std::optional<TarIndex> parse_tar_index(std::string_view bytes, uint64_t archive_size);

// The entry of a sample with this extension; alternatives are separated by ';', and the first that
// the sample has is taken. Throws Error that lists those that the sample has. name: of the archive.
const TarIndex::Entry& entry_of(const TarIndex& index, uint64_t sample,
                                const std::string& extensions, const std::string& name);

}  // namespace containers
