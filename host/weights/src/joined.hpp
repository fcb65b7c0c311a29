// joined.hpp: tensors of several files as one.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weights/weights.hpp"

namespace broch::weights {

class Joined final : public Weights {
 public:
  explicit Joined(std::string format) : Weights(std::move(format)) {}

  void add(std::shared_ptr<const Weights> part, size_t index) {
    tensors_.push_back(part->tensors()[index]);
    places_.emplace_back(std::move(part), index);
  }
  void add_all(const std::shared_ptr<const Weights>& part) {
    for (size_t i = 0; i < part->tensors().size(); ++i) add(part, i);
    others_.insert(others_.end(), part->others().begin(), part->others().end());
  }
  // A tensor of a part that cannot be read.
  void leave_out(std::string name) { others_.push_back(std::move(name)); }

 private:
  std::span<const std::byte> load(size_t index, std::vector<std::byte>& room) const override {
    return places_[index].first->read(places_[index].second, room);
  }

  std::vector<std::pair<std::shared_ptr<const Weights>, size_t>> places_;
};

}  // namespace broch::weights
