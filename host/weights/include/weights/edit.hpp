// edit.hpp: weights in memory, to be changed and written.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/rules.hpp"
#include "weights/weights.hpp"

namespace broch::weights {

struct Item {
  Tensor tensor;
  std::vector<std::byte> room{};       // keeps the elements, unless the file does
  std::span<const std::byte> bytes{};  // row-major, little-endian
};

struct Selection {
  const Rules* rules = nullptr;         // null: everything, as it is
  std::optional<store::Dtype> dtype{};  // of all floats; none: as they are
  bool weights_only = false;            // see is_weight
  bool unmatched_rules = false;         // whether a rule may match no name
};

// Whether a model needs this tensor for inference: in a checkpoint of Broch, what is trained and
// what belongs to the collection MODEL; in other files, what is no optimizer's slot, counter or
// hyper-parameter by its name.
bool is_weight(const Tensor& tensor);
// Whether this is the name of an optimizer's slot, an average, a counter or a hyper-parameter.
bool is_training_name(const std::string& name);

// The tensors that are wanted; they may borrow from the file. LOCAL variables, which belong to one
// rank, never are. Throws base::Error: for rules that cannot be meant, or (checkpoint) if no tensor
// is left.
std::vector<Item> select(const Weights& weights, const Selection& selection,
                         const std::string& place);

// Adds the tensors of another file, for an average of `count` files in all. Throws base::Error
// (checkpoint) unless names, shapes and types are the same.
class Average {
 public:
  void add(const std::vector<Item>& items, const std::string& place);
  // Floats and complex numbers are the mean, computed as doubles; everything else is as in the last
  // file.
  std::vector<Item> result() const;

 private:
  std::vector<Item> last_;
  std::vector<std::vector<double>>
      sums_;  // by tensor, complex numbers as pairs; empty if nothing is added
  size_t count_ = 0;
};

enum class Format { safetensors, checkpoint, npz };
// By the ending: .npz or .safetensors; none for others.
std::optional<Format> format_of(const std::filesystem::path& file);

// Converts all floats.
void convert(std::vector<Item>& items, store::Dtype dtype);

// Replaces the file atomically. Throws base::Error (data), also for what the format does not have.
void save(const std::filesystem::path& file, Format format, const std::vector<Item>& items);

}  // namespace broch::weights
