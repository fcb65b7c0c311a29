// tar_index.cpp: groups the files of an archive. Source of the rules: webdataset/tariterators.py.
#include "containers/tar_index.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "arrays/diagnostic.hpp"
#include "containers/index_cache.hpp"
#include "containers/tar.hpp"

namespace containers {
namespace {

struct Name {
  std::string_view sample, extension;
};

// No value: the name has no extension, or nothing before it. WebDataset leaves such files out, and
// those with names such as __info__.
std::optional<Name> divide(std::string_view name) {
  const size_t slash = name.rfind('/');
  const size_t begin = slash == name.npos ? 0 : slash + 1;
  const size_t point = name.find('.', begin);
  if (point == name.npos || point == begin || point + 1 == name.size()) return std::nullopt;
  if (name.substr(begin, 2) == "__" && name.substr(name.size() - 2) == "__") return std::nullopt;
  return Name{name.substr(0, point), name.substr(point + 1)};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return result;
}

}  // namespace

TarIndex index_tar(const Source& source) {
  TarIndex index;
  std::map<std::string, uint64_t> numbers;  // of extensions
  std::vector<uint64_t> latest;             // for each of them, the last sample that has it, from 1
  std::string sample;
  read_tar(source, [&](const TarFile& file) {
    const std::optional<Name> name = divide(file.name);
    if (!name) return;
    if (index.starts.empty() || name->sample != sample) {
      index.starts.push_back(index.entries.size());
      sample = name->sample;
    }
    const auto [number, is_new] = numbers.emplace(lower(name->extension), numbers.size());
    if (is_new) {
      index.extensions.push_back(number->first);
      latest.push_back(0);
    }
    if (std::exchange(latest[number->second], index.starts.size()) == index.starts.size())
      arrays::refuse(source.name() + ": byte " + std::to_string(file.header),
                     "a second file " + arrays::quoted(file.name) + " in a data point",
                     "each extension once", "give every data point its own name");
    index.entries.push_back({number->second, file.offset, file.size});
  });
  index.starts.push_back(index.entries.size());
  return index;
}

std::string text_of(const TarIndex& index) {
  std::string bytes;
  put_number(bytes, index.extensions.size());
  for (const std::string& extension : index.extensions) {
    put_number(bytes, extension.size());
    bytes += extension;
  }
  put_number(bytes, index.starts.size());
  for (const uint64_t start : index.starts) put_number(bytes, start);
  put_number(bytes, index.entries.size());
  for (const TarIndex::Entry& entry : index.entries)
    for (const uint64_t number : {entry.extension, entry.offset, entry.size})
      put_number(bytes, number);
  return bytes;
}

std::optional<TarIndex> parse_tar_index(std::string_view bytes, uint64_t archive_size) {
  TarIndex index;
  IndexReader reader(bytes);
  for (uint64_t n = reader.number(); n > 0 && reader.ok(); --n)
    index.extensions.emplace_back(reader.text(reader.number()));
  const uint64_t starts = reader.number();
  if (starts == 0 || starts > reader.left()) return std::nullopt;
  for (uint64_t i = 0; i < starts; ++i) index.starts.push_back(reader.number());
  const uint64_t entries = reader.number();
  if (entries > reader.left() / 3) return std::nullopt;
  for (uint64_t i = 0; i < entries; ++i) {
    TarIndex::Entry entry{};
    entry.extension = reader.number();
    entry.offset = reader.number();
    entry.size = reader.number();
    if (entry.extension >= index.extensions.size() || entry.offset > archive_size ||
        entry.size > archive_size - entry.offset)
      return std::nullopt;
    index.entries.push_back(entry);
  }
  if (!reader.at_end() || !std::is_sorted(index.starts.begin(), index.starts.end()) ||
      index.starts.back() != entries)
    return std::nullopt;
  return index;
}

const TarIndex::Entry& entry_of(const TarIndex& index, uint64_t sample,
                                const std::string& extensions, const std::string& name) {
  const uint64_t begin = index.starts[sample], end = index.starts[sample + 1];
  for (size_t at = 0; at <= extensions.size();) {
    const size_t stop = std::min(extensions.find(';', at), extensions.size());
    const std::string_view wanted = std::string_view(extensions).substr(at, stop - at);
    for (uint64_t i = begin; i < end; ++i)
      if (index.extensions[index.entries[i].extension] == wanted) return index.entries[i];
    at = stop + 1;
  }
  constexpr uint64_t kMostShown = 30;
  std::string found;
  for (uint64_t i = begin; i < std::min(end, begin + kMostShown); ++i)
    found += (i > begin ? ", " : "") + index.extensions[index.entries[i].extension];
  if (end - begin > kMostShown) found += ", …";
  arrays::refuse(name + ": byte " + std::to_string(begin < end ? index.entries[begin].offset : 0),
                 "a data point with the extensions " + found, extensions,
                 "correct the option components; leave the data point out of the archive; or, if "
                 "its files do not follow each other, write the archive with tar --sort=name");
}

}  // namespace containers
