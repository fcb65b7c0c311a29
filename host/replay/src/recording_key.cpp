// recording_key.cpp: the shapes, types and names of what a step is given.
#include "recording_key.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "runtime/element.hpp"

namespace broch::replay {

RecordingKey::RecordingKey(Backend& backend, const StepRequest& request)
    : gradients_(request.gradients) {
  const auto add = [&](const Tensor& tensor) {
    const TensorInfo info = backend.info(tensor);
    inputs_.push_back({info.dtype, info.shape});
  };
  for (const Tensor& input : request.inputs.inputs) add(input);
  for (const auto& [name, tensor] : request.inputs.feeds) {
    feeds_.push_back(name);
    add(tensor);
  }
}

size_t RecordingKey::bytes() const {
  size_t bytes = 0;
  for (const Input& input : inputs_)
    bytes += static_cast<size_t>(input.shape.elements()) * dtype_size(input.dtype);
  return bytes;
}

uint64_t RecordingKey::hash() const {
  uint64_t hash = 0;
  for (const Input& input : inputs_) {
    hash = base::hash64(static_cast<uint64_t>(input.dtype), hash);
    for (const int64_t dim : input.shape.span())
      hash = base::hash64(static_cast<uint64_t>(dim), hash);
  }
  for (const std::string& feed : feeds_) hash = base::hash64(feed, hash);
  for (const GradientRequest* const request : gradients_) hash = base::hash64(request->name, hash);
  return hash;
}

bool RecordingKey::fits(Backend& backend, const StepRequest& request) const {
  const RunInputs& inputs = request.inputs;
  if (gradients_ != request.gradients || feeds_.size() != inputs.feeds.size() ||
      inputs_.size() != inputs.inputs.size() + inputs.feeds.size())
    return false;
  auto next = inputs_.begin();
  const auto same = [&](const Tensor& tensor) {
    const TensorInfo info = backend.info(tensor);
    const Input& input = *next++;
    return input.dtype == info.dtype && input.shape == info.shape;
  };
  if (!std::ranges::all_of(inputs.inputs, same)) return false;
  auto name = feeds_.begin();
  return std::ranges::all_of(
      inputs.feeds, [&](const auto& feed) { return feed.first == *name++ && same(feed.second); });
}

namespace {

uint64_t hash_of(Backend& backend, const Tensor& tensor, uint64_t seed) {
  const TensorInfo info = backend.info(tensor);
  std::string bytes(static_cast<size_t>(info.shape.elements()) * dtype_size(info.dtype), '\0');
  backend.copy_out(tensor, info.dtype, bytes.data(), bytes.size());
  return base::hash64(bytes, seed);
}

}  // namespace

uint64_t hash_of(Backend& backend, const RunInputs& inputs) {
  uint64_t hash = 0;
  for (const Tensor& input : inputs.inputs) hash = hash_of(backend, input, hash);
  for (const auto& [name, tensor] : inputs.feeds) hash = hash_of(backend, tensor, hash);
  return hash;
}

}  // namespace broch::replay
