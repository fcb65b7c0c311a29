// variables.hpp: trainable tensors by name, made with the benchmark's first values when a model
// first asks for them.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <map>
#include <string>
#include <vector>

#include "formula.hpp"

namespace broch::bench {

class Variables {
 public:
  at::Tensor weight(const std::string& name, const std::vector<int64_t>& shape) {
    const auto [found, is_new] = by_name_.try_emplace(name);
    if (is_new) {
      const at::Tensor value = at::empty(shape, at::kFloat);
      const std::vector<float> values = bench::weight(name, shape);
      std::copy(values.begin(), values.end(), value.mutable_data_ptr<float>());
      add(found->second = value);
    }
    return found->second;
  }

  at::Tensor vector(const std::string& name, int64_t size, double first) {
    const auto [found, is_new] = by_name_.try_emplace(name);
    if (is_new) add(found->second = at::full({size}, first, at::kFloat));
    return found->second;
  }

  // A vector that gets no gradient.
  at::Tensor buffer(const std::string& name, int64_t size, double first) {
    const auto [found, is_new] = by_name_.try_emplace(name);
    if (is_new) found->second = at::full({size}, first, at::kFloat);
    return found->second;
  }

  const std::vector<at::Tensor>& trainables() const { return trainables_; }

 private:
  void add(at::Tensor& value) { trainables_.push_back(value.requires_grad_()); }

  std::map<std::string, at::Tensor> by_name_;
  std::vector<at::Tensor> trainables_;  // in the order in which they were first asked for
};

}  // namespace broch::bench
