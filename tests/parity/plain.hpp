// plain.hpp: the parity network trained by LibTorch alone.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace broch::parity {

constexpr int64_t kBatch = 8, kSide = 12, kClasses = 10;

// Trainable variables by name, row-major.
using Weights = std::map<std::string, std::vector<float>>;

// Rows of the data set; batch k is the k-th group of kBatch rows, over and over.
struct Rows {
  std::vector<float> images;  // kSide * kSide each
  std::vector<int64_t> labels;
};

enum class Rule { sgd, momentum, adam };

// Steps of torch::optim at this rate from these weights, with one thread.
Weights train(Weights initial, const Rows& rows, Rule rule, double rate, int steps);

}  // namespace broch::parity
