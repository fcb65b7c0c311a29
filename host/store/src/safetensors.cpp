// safetensors.cpp: writes in canonical order; reads into one buffer and verifies it before use.
#include "store/safetensors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "integrity.hpp"
#include "posix.hpp"
#include "safetensors_header.hpp"
#include "store/atomic_file.hpp"
#include "store/damaged.hpp"

namespace broch::store {

namespace fs = std::filesystem;
using base::Diagnostic;
using base::Error;
using base::Exit;

namespace {

[[noreturn]] void unwritable(const fs::path& path, std::string found, std::string expected) {
  throw Error(Exit::data, Diagnostic{path.string(), std::move(found), std::move(expected),
                                     "the previous file is unchanged"});
}

void sort_canonically(std::vector<TensorView>& tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorView& a, const TensorView& b) {
    const uint64_t a_size = dtype_size(a.dtype), b_size = dtype_size(b.dtype);
    return std::tie(b_size, a.name) < std::tie(a_size, b.name);
  });
}

// Refuses what the reader would refuse, while the old file still exists.
std::vector<TensorEntry> place_tensors(const fs::path& path,
                                       const std::vector<TensorView>& tensors) {
  std::vector<TensorEntry> entries;
  uint64_t at = 0;
  for (const TensorView& tensor : tensors) {
    const std::string who = "tensor " + base::quoted(tensor.name);
    uint64_t size = 0;
    if (tensor.shape.size() > kMaxDims)
      unwritable(path, who + " has more than 8 dimensions", "at most 8");
    if (!byte_size(tensor.dtype, tensor.shape, size) || size != tensor.bytes.size())
      unwritable(path, who + " comes with " + std::to_string(tensor.bytes.size()) + " bytes",
                 "as many as its dtype and shape say");
    if (tensor.name == kMetadataKey) unwritable(path, who, "a name that is not reserved");
    entries.push_back({tensor.name, tensor.dtype, tensor.shape, at, at + size});
    at += size;
  }
  if (entries.size() > kMaxTensors) unwritable(path, "more than 10^6 tensors", "at most 10^6");
  return entries;
}

void refuse_twins(const fs::path& path, const std::vector<TensorView>& tensors) {
  std::vector<std::string_view> names;
  for (const TensorView& tensor : tensors) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  if (twin != names.end()) unwritable(path, "two tensors " + base::quoted(*twin), "unique names");
}

std::string sealed_header(const fs::path& path, const std::vector<TensorView>& tensors,
                          Metadata metadata) {
  const std::vector<TensorEntry> entries = place_tensors(path, tensors);
  ChunkSums sums;
  for (const TensorView& tensor : tensors) sums.add(tensor.bytes);
  metadata[std::string(kSumsKey)] = unsealed(sums.text());
  std::string header = header_text(entries, metadata);
  if (header.size() > kMaxHeader)
    unwritable(path, "a header of " + std::to_string(header.size()) + " bytes", "at most 100 MB");
  seal(header);
  return header;
}

}  // namespace

void write_safetensors(const fs::path& path, std::vector<TensorView> tensors, Metadata metadata) {
  sort_canonically(tensors);
  refuse_twins(path, tensors);
  const std::string header = sealed_header(path, tensors, std::move(metadata));
  AtomicFile file(path);
  file.write(header.data(), header.size());
  for (const TensorView& tensor : tensors) file.write(tensor.bytes.data(), tensor.bytes.size());
  file.commit();
}

// A source of bytes, such as a file. Calls of `read` stay below `size`.
struct ByteSource {
  std::string where;
  uint64_t size;
  std::function<void(void* to, size_t count, uint64_t at)> read;
};

namespace {

[[noreturn]] void damaged(const std::string& where, std::string found, std::string expected) {
  throw Damaged(
      {where, std::move(found), std::move(expected), "the file is damaged or no safetensors file"});
}

// Length field, JSON and padding.
std::string read_header(const ByteSource& source) {
  if (source.size < kLengthField + 2) {
    damaged(source.where, "the file has " + std::to_string(source.size) + " bytes",
            "a header length and a header");
  }
  unsigned char field[kLengthField];
  source.read(field, kLengthField, 0);
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthField; ++i) length |= uint64_t{field[i]} << (8 * i);
  if (length > kMaxHeader || length > source.size - kLengthField) {
    damaged(source.where,
            "a header length of " + std::to_string(length) + " in a file of " +
                std::to_string(source.size) + " bytes",
            "a header inside the file, of at most 100 MB");
  }
  std::string header(kLengthField + length, '\0');
  source.read(header.data(), header.size(), 0);
  return header;
}

// Leaves the memory uninitialized, because zeroing a large buffer costs time.
std::unique_ptr<std::byte[]> allocate(uint64_t size, const std::string& where) {
  try {
    return std::make_unique_for_overwrite<std::byte[]>(size);
  } catch (const std::bad_alloc&) {
    throw Error(Exit::memory, Diagnostic{where, std::to_string(size) + " bytes of data do not fit",
                                         "as much free memory", "use a machine with more memory"});
  }
}

[[noreturn]] void wrong_sum(const std::string& where, std::string found) {
  throw Damaged({where, std::move(found), "the checksum it was written with",
                 "the file was damaged, or changed by another program, after it was written"});
}

// Names the first damaged chunk by the tensor in which it begins.
void compare_sums(const std::string& where, const std::string& expected, const std::string& found,
                  const std::vector<TensorEntry>& tensors) {
  if (expected == found) return;
  if (expected.size() != found.size())
    wrong_sum(where, "checksums of " + std::to_string(expected.size() / kSumDigits) + " chunks");
  const auto differs = std::mismatch(expected.begin(), expected.end(), found.begin()).first;
  const uint64_t chunk = static_cast<uint64_t>(differs - expected.begin()) / kSumDigits - 1;
  const auto tensor = std::find_if(tensors.begin(), tensors.end(), [&](const TensorEntry& entry) {
    return entry.end > chunk * kChunk;
  });
  wrong_sum(where, "data from byte " + std::to_string(chunk * kChunk) + " on, at tensor " +
                       base::quoted(tensor->name) + ", has another checksum");
}

struct CheckedHeader {
  Header header;                    // its metadata without the checksums
  std::optional<std::string> sums;  // none: a file of another program
  uint64_t data_begin;
};

CheckedHeader read_checked_header(const ByteSource& source) {
  const std::string text = read_header(source);
  CheckedHeader checked{parse_header(std::string_view(text).substr(kLengthField),
                                     source.size - text.size(), source.where),
                        std::nullopt, text.size()};
  Metadata& metadata = checked.header.metadata;
  if (const auto sums = metadata.find(std::string(kSumsKey)); sums != metadata.end()) {
    if (!is_sealed(text)) wrong_sum(source.where, "the header has another checksum");
    checked.sums = std::move(sums->second);
    metadata.erase(sums);
  }
  return checked;
}

// Calls `use` with the bytes of a file.
template <class Use>
auto with_file(const fs::path& path, Use use) {
  uint64_t size = 0;
  const Fd fd = open_regular(path, size, Exit::checkpoint);
  return use(ByteSource{path.string(), size, [&](void* to, size_t count, uint64_t at) {
                          if (read_fully(fd.get(), to, count, at)) return;
                          fail(Exit::checkpoint, path, "cannot be read", errno == 0 ? EIO : errno);
                        }});
}

}  // namespace

SafetensorsFile SafetensorsFile::load(const ByteSource& source) {
  auto [parsed, sums, data_begin] = read_checked_header(source);
  const uint64_t data_size = source.size - data_begin;
  SafetensorsFile file;
  file.data_ = allocate(data_size, source.where);
  source.read(file.data_.get(), data_size, data_begin);
  if (sums) {
    ChunkSums found;
    found.add({file.data_.get(), data_size});
    compare_sums(source.where, *sums, sums->substr(0, kSumDigits) + found.text(), parsed.tensors);
    file.has_checksums_ = true;
  }
  file.adopt(std::move(parsed.tensors));
  file.metadata_ = std::move(parsed.metadata);
  return file;
}

void SafetensorsFile::adopt(std::vector<TensorEntry> entries) {
  tensors_.reserve(entries.size());
  for (TensorEntry& entry : entries) {
    if (entry.foreign_bits > 0) {
      others_.push_back(std::move(entry.name));
      continue;
    }
    index_.emplace(entry.name, tensors_.size());
    tensors_.push_back({std::move(entry.name),
                        entry.dtype,
                        std::move(entry.shape),
                        {data_.get() + entry.begin, entry.end - entry.begin}});
  }
}

SafetensorsFile SafetensorsFile::read(const fs::path& path) {
  return with_file(path, [](const ByteSource& source) { return load(source); });
}

Metadata SafetensorsFile::read_metadata(const fs::path& path) {
  return with_file(path, [](const ByteSource& source) {
    return std::move(read_checked_header(source).header.metadata);
  });
}

SafetensorsFile SafetensorsFile::parse(std::span<const std::byte> bytes, const std::string& where) {
  return load({where, bytes.size(), [&](void* to, size_t count, uint64_t at) {
                 if (count > 0) std::memcpy(to, bytes.data() + at, count);
               }});
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

}  // namespace broch::store
