// safetensors_header.cpp: nlohmann's SAX events, checked against the only form a header may have.
#include "safetensors_header.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "store/damaged.hpp"

namespace broch::store {
namespace {

using base::Diagnostic;
using base::Error;
using base::Exit;

struct Refusal {
  std::string found, expected;
};

// Depth 1: names. Depth 2: the fields of a tensor, or metadata. Depth 3: numbers of an array. Each
// method returns whether to continue; an error stops the parser, so nothing nests deeper.
class HeaderEvents {
 public:
  Header header;
  Refusal refusal;

  bool start_object(size_t) { return depth_ < 2 ? enter() : unexpected("an object"); }

  bool key(std::string& text) {
    key_ = text;
    if (depth_ == 1) return open_name(text);
    if (in_metadata()) return true;
    if (std::find(std::begin(kFields), std::end(kFields), text) == std::end(kFields)) {
      return refuse("tensor " + base::quoted(name_) + " has a field " + base::quoted(text),
                    "dtype, shape and data_offsets");
    }
    if (!seen_.insert(text).second)
      return refuse("tensor " + base::quoted(name_) + " has two fields " + base::quoted(text),
                    "one of each");
    return true;
  }

  bool end_object() {
    --depth_;
    return depth_ != 1 || in_metadata() || close_tensor();
  }

  bool start_array(size_t) {
    if (depth_ != 2 || in_metadata() || key_ == "dtype") return unexpected("an array");
    numbers_.clear();
    return enter();
  }

  bool end_array() {
    --depth_;
    if (key_ == "shape") {
      tensor_.shape.assign(numbers_.begin(), numbers_.end());
      return true;
    }
    if (numbers_.size() != 2) return unexpected(base::counted(std::ssize(numbers_), "offset"));
    tensor_.begin = numbers_[0];
    tensor_.end = numbers_[1];
    return true;
  }

  bool number_unsigned(uint64_t value) {
    if (depth_ != 3) return unexpected("a number");
    if (value > std::numeric_limits<int64_t>::max()) return unexpected("a number beyond 2^63");
    if (numbers_.size() == kMaxDims)
      return refuse(
          "tensor " + base::quoted(name_) + " has more than 8 numbers in " + base::quoted(key_),
          "at most 8 dimensions, two offsets");
    numbers_.push_back(value);
    return true;
  }

  bool string(std::string& text) {
    if (depth_ == 2 && in_metadata()) return add_metadata(text);
    if (depth_ != 2 || key_ != "dtype") return unexpected("a string");
    const std::optional<Dtype> dtype = dtype_named(text);
    tensor_.foreign_bits = dtype ? 0 : foreign_bits(text);
    if (!dtype && tensor_.foreign_bits == 0)
      return refuse("tensor " + base::quoted(name_) + " has dtype " + base::quoted(text),
                    dtype_list());
    tensor_.dtype = dtype.value_or(Dtype::u8);
    return true;
  }

  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("a boolean"); }
  bool number_integer(int64_t) { return unexpected("a negative number"); }
  bool number_float(double, const std::string&) { return unexpected("a fraction"); }
  bool binary(std::vector<uint8_t>&) { return unexpected("binary data"); }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) {
    return refuse("the header is no JSON at its byte " + std::to_string(position),
                  "a safetensors header");
  }

 private:
  static constexpr std::string_view kFields[] = {"dtype", "shape", "data_offsets"};

  bool in_metadata() const { return name_ == kMetadataKey; }
  bool enter() {
    ++depth_;
    return true;
  }

  bool refuse(std::string found, std::string expected) {
    refusal = {std::move(found), std::move(expected)};
    return false;
  }

  bool unexpected(const std::string& what) {
    if (depth_ == 0) return refuse("the header is " + what, "an object");
    if (depth_ == 1) return refuse(base::quoted(name_) + " is " + what, "an object");
    if (in_metadata()) return refuse("metadata " + base::quoted(key_) + " is " + what, "a string");
    return refuse("tensor " + base::quoted(name_) + " has " + what + " in " + base::quoted(key_),
                  key_ == "dtype"   ? "a name"
                  : key_ == "shape" ? "a list of sizes"
                                    : "two offsets");
  }

  bool open_name(const std::string& text) {
    name_ = text;
    if (!names_.insert(text).second)
      return refuse(base::quoted(text) + " occurs twice", "unique names");
    if (names_.size() > kMaxTensors + 1)
      return refuse("the header has more than 10^6 tensors", "at most 10^6");
    tensor_ = TensorEntry{};
    tensor_.name = text;
    seen_.clear();
    return true;
  }

  bool close_tensor() {
    if (seen_.size() != std::size(kFields)) {
      return refuse("tensor " + base::quoted(name_) + " lacks a field",
                    "dtype, shape and data_offsets");
    }
    header.tensors.push_back(std::move(tensor_));
    return true;
  }

  bool add_metadata(const std::string& text) {
    if (header.metadata.emplace(key_, text).second) return true;
    return refuse("metadata " + base::quoted(key_) + " occurs twice", "unique keys");
  }

  int depth_ = 0;
  std::string name_, key_;
  TensorEntry tensor_;
  std::vector<uint64_t> numbers_;
  std::unordered_set<std::string> seen_, names_;
};

std::string range(uint64_t begin, uint64_t end) {
  return std::to_string(begin) + "-" + std::to_string(end);
}

bool size_of(const TensorEntry& tensor, uint64_t& size) {
  if (tensor.foreign_bits == 0) return byte_size(tensor.dtype, tensor.shape, size);
  // Several elements may share a byte.
  uint64_t bits = 0;
  if (!byte_size(Dtype::u8, tensor.shape, size) ||
      __builtin_mul_overflow(size, tensor.foreign_bits, &bits))
    return false;
  size = (bits + 7) / 8;
  return true;
}

// Returns no fault if the tensors fill the data section exactly.
Refusal layout_fault(const std::vector<TensorEntry>& tensors, uint64_t data_size) {
  uint64_t at = 0;
  for (const TensorEntry& tensor : tensors) {
    const std::string who = "tensor " + base::quoted(tensor.name);
    uint64_t size = 0;
    if (!size_of(tensor, size))
      return {who + " has a shape of more than 2^63 bytes", "a size that fits"};
    if (tensor.begin != at) {
      return {who + " has bytes " + range(tensor.begin, tensor.end) +
                  (tensor.begin < at ? ", which overlap the tensor before" : ", after a gap"),
              "bytes from " + std::to_string(at)};
    }
    if (tensor.end < tensor.begin || tensor.end - tensor.begin != size)
      return {who + " has bytes " + range(tensor.begin, tensor.end),
              std::to_string(size) + " bytes for its dtype and shape"};
    at = tensor.end;
  }
  if (at == data_size) return {};
  return {"the file has " + std::to_string(data_size) + " bytes of data",
          std::to_string(at) + ", where its last tensor ends"};
}

[[noreturn]] void damaged(const std::string& where, const Refusal& refusal) {
  throw Damaged(
      {where, refusal.found, refusal.expected, "the file is damaged or no safetensors file"});
}

std::string json_string(const std::string& text) {
  if (base::is_utf8(text)) return nlohmann::json(text).dump();
  throw Error(Exit::data, Diagnostic{"safetensors", "the name or text " + base::quoted(text),
                                     "UTF-8", "rename the variable"});
}

std::string json_entry(const TensorEntry& tensor) {
  std::vector<std::string> sizes;
  for (const int64_t size : tensor.shape) sizes.push_back(std::to_string(size));
  return json_string(tensor.name) + ":{\"dtype\":\"" + std::string(dtype_name(tensor.dtype)) +
         "\",\"shape\":[" + base::join(sizes, ",") + "],\"data_offsets\":[" +
         std::to_string(tensor.begin) + "," + std::to_string(tensor.end) + "]}";
}

}  // namespace

bool byte_size(Dtype dtype, const std::vector<int64_t>& shape, uint64_t& size) {
  int64_t product = static_cast<int64_t>(dtype_size(dtype));
  for (const int64_t length : shape)
    if (length < 0 || __builtin_mul_overflow(product, length, &product)) return false;
  size = static_cast<uint64_t>(product);
  return true;
}

Header parse_header(std::string_view json, uint64_t data_size, const std::string& where) {
  if (!json.starts_with('{')) damaged(where, {"the header does not start with '{'", "an object"});
  HeaderEvents events;
  if (!nlohmann::json::sax_parse(json, &events)) damaged(where, events.refusal);
  Header header = std::move(events.header);
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorEntry& a, const TensorEntry& b) {
              return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
            });
  const Refusal fault = layout_fault(header.tensors, data_size);
  if (!fault.found.empty()) damaged(where, fault);
  return header;
}

std::string header_text(const std::vector<TensorEntry>& tensors, const Metadata& metadata) {
  std::vector<std::string> entries, pairs;
  for (const auto& [key, value] : metadata)
    pairs.push_back(json_string(key) + ":" + json_string(value));
  if (!pairs.empty())
    entries.push_back("\"" + std::string(kMetadataKey) + "\":{" + base::join(pairs, ",") + "}");
  for (const TensorEntry& tensor : tensors) entries.push_back(json_entry(tensor));
  std::string text = "{" + base::join(entries, ",") + "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string length(kLengthField, '\0');
  for (size_t i = 0; i < kLengthField; ++i)
    length[i] = static_cast<char>(uint64_t{text.size()} >> (8 * i));
  return length + text;
}

}  // namespace broch::store
