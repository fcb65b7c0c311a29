// pickle.hpp: reads what torch.save pickles, without executing anything. Only the opcodes of
// protocol 2 that it writes are known, and only the globals of tensors, containers and plain
// values. Source: CPython Lib/pickletools.py; torch/serialization.py and torch/_utils.py.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/dtype.hpp"

namespace broch::weights::pickle {

enum class Kind : uint8_t {
  none,
  boolean,
  integer,
  real,
  text,
  list,
  tuple,
  dict,          // items: key, value, key, value, …
  tensor,        // integer: index in Document::tensors
  storage,       // integer: index in Document::storages
  storage_type,  // integer: index of its element type, or kUntyped
  dtype,         // integer: index of the element type
  function,      // integer: which one
  other,         // something of which nothing is kept, such as a set or a sparse tensor
};

struct Value {
  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string_view text{};        // in the bytes that were parsed
  std::vector<uint32_t> items{};  // indices in Document::values
};

// Elements of one type in a member of the archive.
struct Storage {
  std::string_view key;               // the name of the member
  std::optional<store::Dtype> dtype;  // none: `elements` are bytes, or of a type that is not known
  uint64_t elements = 0;
  uint64_t element_size = 1;  // in bytes
};

// Lies within its storage; the size of the storage itself is not checked here.
struct Tensor {
  size_t storage = 0;
  store::Dtype dtype = store::Dtype::f32;
  uint64_t offset = 0;  // these three in elements
  std::vector<int64_t> shape{}, strides{};
};

struct Document {
  std::vector<Value> values;
  std::vector<Storage> storages;
  std::vector<Tensor> tensors;
  uint32_t root = 0;
};

inline constexpr uint64_t kMostBytes = uint64_t{1} << 27;

// bytes must stay, since the document refers to them. At most kMostBytes. Throws archive's Error
// with the byte.
Document parse(std::string_view bytes, const std::string& place);
// The pickle that begins at `at`, which moves behind it.
Document parse_at(std::string_view bytes, const std::string& place, size_t& at);

}  // namespace broch::weights::pickle
