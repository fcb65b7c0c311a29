// readers.hpp: one function for each format. They throw archive's Error or base::Error.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "archive/source.hpp"
#include "archive/zip.hpp"
#include "weights/weights.hpp"

namespace broch::weights {

namespace pickle {
struct Document;
}

using SourcePtr = std::shared_ptr<const archive::Source>;

inline constexpr const char* kCheckpoint = "broch.checkpoint";  // metadata of a checkpoint

// What to do about a file.
inline constexpr const char* kDamaged = "the file is damaged; copy or write it again";
inline constexpr const char* kBigEndian = "save the file again on a machine with x86 or ARM";

// A checkpoint of Broch, or a safetensors file of another program.
std::unique_ptr<Weights> read_safetensors(const std::filesystem::path& path);
// *.index.json: a JSON object whose member weight_map says which file has which tensor.
std::unique_ptr<Weights> read_index(const std::filesystem::path& path);

// The names of the files that it names, each once.
std::set<std::string> files_of_index(const std::filesystem::path& path);

// The members of a zip file by name.
class Members {
 public:
  explicit Members(SourcePtr source);
  // Parts of another file, which have no checksums.
  Members(SourcePtr source, std::vector<archive::ZipMember> parts);
  const archive::Source& source() const { return *source_; }
  const std::vector<archive::ZipMember>& all() const { return members_; }
  const archive::ZipMember* find(const std::string& name) const;  // nullptr: none
  // Throws Error if there is none.
  const archive::ZipMember& require(const std::string& name) const;
  // The folder, with a slash or "", of a member that ends so, at the top or one folder below.
  std::optional<std::string> folder_of(const std::string& ending) const;
  // The content, checked against size and checksum. Throws Error if it has more than `limit` bytes.
  std::string content(const archive::ZipMember& member, uint64_t limit) const;

 private:
  SourcePtr source_;
  std::vector<archive::ZipMember> members_;
  std::unordered_map<std::string, size_t> index_;
};

std::unique_ptr<Weights> read_npz(Members members);
std::unique_ptr<Weights> read_pt2(const Members& members, const std::string& folder);

// Elements that lie in a member of a zip file.
struct Strided {
  const archive::ZipMember* member;
  uint64_t offset;  // in elements
  std::vector<int64_t> strides;
  // What Tensor::memory is.
  std::string memory(const std::vector<int64_t>& shape) const;
};

// Tensors in members of a zip file, as torch saves them.
class StridedTensors {
 public:
  explicit StridedTensors(const Members& members) : members_(members) {}
  // Throws Error unless the tensor lies in its member, and what was added so far is about as large
  // as the file: a tensor may be repeated by strides of 0.
  // Sets its memory.
  void add(Tensor& tensor, Strided place);
  const Strided& place(size_t index) const { return places_[index]; }
  std::span<const std::byte> load(const Tensor& tensor, size_t index,
                                  std::vector<std::byte>& room) const;

 private:
  std::string_view content(const archive::ZipMember& member) const;

  const Members& members_;
  std::vector<Strided> places_;
  uint64_t total_ = 0;
  // The member that was read last, if it is packed; those whose checksum was compared.
  mutable const archive::ZipMember* unpacked_ = nullptr;
  mutable std::string unpacked_bytes_;
  mutable std::unordered_map<const archive::ZipMember*, bool> is_checked_;
};

// Weights whose elements lie in members of one zip file.
class LocatedWeights : public Weights {
 public:
  const Members& members() const { return members_; }
  const Strided& place(size_t index) const { return data_.place(index); }

 protected:
  LocatedWeights(std::string format, Members members)
      : Weights(std::move(format)), members_(std::move(members)), data_(members_) {}

  const Members members_;
  StridedTensors data_;

 private:
  std::span<const std::byte> load(size_t index, std::vector<std::byte>& room) const override {
    return data_.load(tensors_[index], index, room);
  }
};

// folder: of the members, with a slash. key: as for open(); none: the whole content is a state
// dict.
std::unique_ptr<LocatedWeights> read_torch(Members members, const std::string& folder,
                                           const std::optional<std::string>& key);

// Whether a file that begins so is one of torch.save before PyTorch 1.6, which is no zip file.
bool is_legacy_torch(std::string_view first);
std::unique_ptr<LocatedWeights> read_legacy_torch(SourcePtr source, const std::string& key);

// The tensors of a state dict in content. folder: of the members with their elements. key: as for
// read_torch().
std::unique_ptr<LocatedWeights> torch_weights(Members members, const std::string& folder,
                                              const pickle::Document& content,
                                              const std::optional<std::string>& key);

}  // namespace broch::weights
