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
      add(name, found->second = value);
    }
    return found->second;
  }

  at::Tensor vector(const std::string& name, int64_t size, double first) {
    const auto [found, is_new] = by_name_.try_emplace(name);
    if (is_new) add(name, found->second = at::full({size}, first, at::kFloat));
    return found->second;
  }

  // A vector that gets no gradient.
  at::Tensor buffer(const std::string& name, int64_t size, double first) {
    const auto [found, is_new] = by_name_.try_emplace(name);
    if (is_new) found->second = at::full({size}, first, at::kFloat);
    return found->second;
  }

  // Those whose name starts with scope, in the order in which they were first asked for.
  std::vector<at::Tensor> trainables(const std::string& scope) const {
    std::vector<at::Tensor> those;
    for (const auto& [name, value] : trainables_)
      if (name.starts_with(scope)) those.push_back(value);
    return those;
  }

 private:
  void add(const std::string& name, at::Tensor& value) {
    trainables_.emplace_back(name, value.requires_grad_());
  }

  std::map<std::string, at::Tensor> by_name_;
  std::vector<std::pair<std::string, at::Tensor>> trainables_;
};

}  // namespace broch::bench
