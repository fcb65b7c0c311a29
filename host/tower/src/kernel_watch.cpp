// kernel_watch.cpp: a byte pattern in and around the outputs, and checksums of the inputs.
#include "kernel_watch.hpp"

#include <cstdint>
#include <cstring>

#include "base/checksum.hpp"
#include "base/text.hpp"
#include "runtime/dlpack.hpp"

namespace broch::tower {
namespace {

constexpr size_t kAlign = 64;     // alignment that ext/kernel.h promises for outputs
constexpr size_t kPadding = 256;  // bytes on each side; a multiple of kAlign
// Repeated, it is a NaN in each floating-point dtype, one that no computation produces.
constexpr uint16_t kPattern = 0x7FF5;

// The pattern's byte at this offset from an even one.
std::byte pattern(size_t offset) { return std::byte(kPattern >> (offset % 2 ? 8 : 0)); }

bool is_pattern(const std::byte* bytes, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    if (bytes[i] != pattern(i)) return false;
  return true;
}

std::byte* aligned(std::byte* bytes) {
  const auto address = reinterpret_cast<uintptr_t>(bytes);
  return bytes + (kAlign - address % kAlign) % kAlign;
}

const std::byte* bytes_of(const broch_dl_tensor& tensor) {
  return static_cast<const std::byte*>(tensor.data);
}

// Covers values and shape.
std::string checksum(const broch_dl_tensor& tensor) {
  std::string text = tensor.data ? base::xxh128(tensor.data, dl_bytes(tensor)) : "";
  for (int32_t i = 0; i < tensor.ndim; ++i)
    text.append(",").append(std::to_string(tensor.shape[i]));
  return text;
}

}  // namespace

KernelWatch::KernelWatch(std::span<const broch_dl_tensor> inputs,
                         std::span<const broch_dl_tensor> outputs)
    : inputs_(inputs), outputs_(outputs), memory_(outputs.size()) {
  for (const broch_dl_tensor& input : inputs) before_.push_back(checksum(input));
  for (size_t i = 0; i < outputs.size(); ++i) {
    broch_dl_tensor& watched = watched_.emplace_back(outputs[i]);
    if (!watched.data) continue;
    const size_t size = dl_bytes(watched) + 2 * kPadding;
    memory_[i].resize(size + kAlign);
    std::byte* const start = aligned(memory_[i].data());
    for (size_t k = 0; k < size; ++k) start[k] = pattern(k);
    watched.data = start + kPadding;
  }
}

std::string KernelWatch::given() const { return base::join(before_, " "); }

std::string KernelWatch::gave() const {
  std::string checksums;
  for (const broch_dl_tensor& output : outputs_) checksums += checksum(output) + " ";
  return checksums;
}

std::string KernelWatch::finish() const {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (checksum(inputs_[i]) != before_[i]) return "wrote to input " + std::to_string(i);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].data) continue;
    if (const std::string wrong = wrong_with(i); !wrong.empty())
      return wrong + " output " + std::to_string(i);
    if (const size_t size = dl_bytes(outputs_[i]); size)
      std::memcpy(outputs_[i].data, watched_[i].data, size);
  }
  return "";
}

std::string KernelWatch::wrong_with(size_t output) const {
  const broch_dl_tensor& tensor = watched_[output];
  const std::byte* const data = bytes_of(tensor);
  const size_t size = dl_bytes(tensor);
  if (!is_pattern(data - kPadding, 0, kPadding)) return "wrote to memory before";
  if (!is_pattern(data, size, size + kPadding)) return "wrote to memory after";
  const bool floating = tensor.dtype.code == BROCH_DL_FLOAT ||
                        tensor.dtype.code == BROCH_DL_BFLOAT ||
                        tensor.dtype.code == BROCH_DL_COMPLEX;
  const size_t element = tensor.dtype.bits / 8;
  if (floating)
    for (size_t i = 0; i < size; i += element)
      if (is_pattern(data, i, i + element))
        return "did not write element " + std::to_string(i / element) + " of";
  return "";
}

}  // namespace broch::tower
