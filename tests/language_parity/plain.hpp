// plain.hpp: networks of the tests trained by LibTorch alone.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace broch::parity {

constexpr int64_t kBatch = 8, kClasses = 10;

// Trainable variables by name, row-major.
using Weights = std::map<std::string, std::vector<float>>;

// Rows of the data set; batch k is the k-th group of kBatch rows, over and over.
struct Rows {
  std::vector<float> inputs;  // as many each as row_shape says
  std::vector<int64_t> labels;
};

enum class Net { convnet, mlp, transformer };
enum class Rule { sgd, momentum, adam };

// The shape of one row of its input.
std::vector<int64_t> row_shape(Net net);

// Steps of torch::optim at this rate from these weights, with one thread.
Weights train(Net net, Weights initial, const Rows& rows, Rule rule, double rate, int steps);

}  // namespace broch::parity
