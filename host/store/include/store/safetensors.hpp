// safetensors.hpp: named tensors in a file that cannot run code
// (https://github.com/huggingface/safetensors). Files written here have checksums that cover every
// byte; files of other programs are read without checksums.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/dtype.hpp"

namespace broch::store {

struct TensorView {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;          // at most 8 dimensions
  std::span<const std::byte> bytes{};  // row-major, little-endian, any alignment, borrowed
};

using Metadata = std::map<std::string, std::string>;

// Writes atomically; equal contents give equal bytes. Order in the file: larger elements first,
// then by name. Throws Error(data).
void write_safetensors(const std::filesystem::path& path, std::vector<TensorView> tensors,
                       Metadata metadata);

struct ByteSource;
struct TensorEntry;

// A file in memory. Everything is checked before a tensor is accessible: structure, limits (header
// 100 MB, 10^6 tensors, 8 dimensions) and checksums, if there are any.
class SafetensorsFile {
 public:
  // Throws Error(checkpoint) that names the file and the reason.
  static SafetensorsFile read(const std::filesystem::path& path);
  // Reads only the metadata. Checks the whole header, but not the data.
  static Metadata read_metadata(const std::filesystem::path& path);
  // The same as read for bytes; `where` names them in errors.
  static SafetensorsFile parse(std::span<const std::byte> bytes, const std::string& where);

  const std::vector<TensorView>& tensors() const { return tensors_; }  // in file order
  const TensorView* find(std::string_view name) const;                 // nullptr: none
  const Metadata& metadata() const { return metadata_; }               // without the checksums
  bool has_checksums() const { return has_checksums_; }
  // The names of tensors of types that are no Dtype, which cannot be read.
  const std::vector<std::string>& others() const { return others_; }

 private:
  static SafetensorsFile load(const ByteSource& source);
  void adopt(std::vector<TensorEntry> entries);

  std::unique_ptr<std::byte[]> data_;
  std::vector<TensorView> tensors_;
  std::vector<std::string> others_;
  std::map<std::string, size_t, std::less<>> index_;
  Metadata metadata_;
  bool has_checksums_ = false;
};

}  // namespace broch::store
