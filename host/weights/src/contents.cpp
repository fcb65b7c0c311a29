// contents.cpp: reads all tensors.
#include "weights/contents.hpp"

namespace broch::weights {

Contents::Contents(const std::filesystem::path& path, const std::string& key)
    : file_(find(path)), weights_(open(file_, key)) {
  rooms_.resize(weights_->tensors().size());
  for (size_t i = 0; i < rooms_.size(); ++i) {
    const Tensor& one = weights_->tensors()[i];
    contents_.variables.push_back(
        {{one.name, one.dtype, one.shape, weights_->read(i, rooms_[i])}, one.collections});
  }
}

void verify(const std::filesystem::path& file, const std::string& key) {
  if (is_checkpoint(file)) {
    store::read_checkpoint(file);
    return;
  }
  const auto weights = open(file, key);
  std::vector<std::byte> room;
  for (size_t i = 0; i < weights->tensors().size(); ++i) weights->read(i, room);
}

}  // namespace broch::weights
