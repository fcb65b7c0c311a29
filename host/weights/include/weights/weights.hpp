// weights.hpp: named tensors from files of many programs: checkpoints of Broch, safetensors files,
// alone or as a set with an index, .npz, .pt2, and state dicts that torch.save wrote. All of them
// are read as hostile input: nothing in them is executed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/dtype.hpp"

namespace broch::weights {

struct Tensor {
  std::string name;  // UTF-8, at most kLongestName bytes
  store::Dtype dtype = store::Dtype::f32;
  std::vector<int64_t> shape{};            // at most 8 dimensions
  std::vector<std::string> collections{};  // of a variable in a checkpoint, such as TRAINABLE
  // Where PyTorch has the elements. Two tensors with the same text are one and the same; "": not
  // known.
  std::string memory{};

  uint64_t elements() const;
  uint64_t bytes() const { return elements() * store::dtype_size(dtype); }
};

// std::regex needs stack for each character that it matches.
inline constexpr size_t kLongestName = 2048;

class Weights {
 public:
  virtual ~Weights() = default;

  // For people: "a checkpoint of Broch", "a safetensors file".
  const std::string& format() const { return format_; }
  // With unique names, in the order of the file.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // Entries that are left out since they are no tensors, such as "epoch", or of another type than
  // those of store::Dtype.
  const std::vector<std::string>& others() const { return others_; }

  // The elements of tensors()[index], row-major and little-endian. They lie in `room`, or in this
  // object if its file is in memory. Throws base::Error (checkpoint) if the file is damaged.
  std::span<const std::byte> read(size_t index, std::vector<std::byte>& room) const;

 protected:
  explicit Weights(std::string format) : format_(std::move(format)) {}
  // Throws archive's Error, or base::Error.
  virtual std::span<const std::byte> load(size_t index, std::vector<std::byte>& room) const = 0;

  std::string format_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> others_;

 private:
  friend std::unique_ptr<Weights> checked(std::unique_ptr<Weights> weights,
                                          const std::string& place);
};

// The name without the ":0" of TensorFlow, which is there for the first output of an operation.
std::string without_output(const std::string& name);

// The file that a path stands for: the newest checkpoint of a log folder; or the first of these in
// another folder: model.safetensors, *.safetensors.index.json, *.index.json, pytorch_model.bin.
// Throws base::Error (checkpoint) if there is none.
std::filesystem::path find(const std::filesystem::path& path);

// The files that open(path) reads: the one that find(path) gives and, if it is an index, those that
// it names. Throws base::Error (checkpoint).
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

// Whether a file is a checkpoint of Broch. Throws base::Error (checkpoint) if it is none of the
// files that open() reads.
bool is_checkpoint(const std::filesystem::path& file);

// Opens what find(path) gives; the content decides what it is. key: the way to the state dict in a
// file of torch.save, such as "model" or "models/generator"; "": the only one. Throws base::Error
// (checkpoint) that says what was found, what was expected and what to do.
std::unique_ptr<Weights> open(const std::filesystem::path& path, const std::string& key = "");

// The same for the bytes of a zip file (.npz, .pt2, .pt), which must stay.
std::unique_ptr<Weights> parse(std::string_view bytes, const std::string& place,
                               const std::string& key = "");

}  // namespace broch::weights
