// onnx.hpp: a graph as an ONNX model, which other programs can compute.
// Source: https://github.com/onnx/onnx, onnx/onnx.proto and docs/Operators.md.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "runtime/backend.hpp"

namespace broch::onnx {

// The operator set in which models are written.
constexpr int kOpset = 18;

struct Options {
  // The weights in a file of their own beside the model, FILE.data. Weights of more than 2 GB are
  // always written so, since a model has at most 2 GB.
  bool external = false;
  // An existing FILE.data, too, which goes if there is no new one; FILE itself is always replaced.
  bool replace = true;
  std::map<std::string, std::string> about{};  // metadata, for people
};

// weights: by Graph::weights. Replaces the file atomically; a model never stands beside the weights
// of another one. Throws base::Error (Exit::plugin) that names all operators which have no
// counterpart in ONNX, with the reasons; usage if an output has the name of an input; data if there
// is a FILE.data that is not to be replaced.
void write(const std::filesystem::path& path, runtime::Backend& backend, const graph::Graph& graph,
           const std::vector<runtime::Tensor>& weights, const Options& options);

}  // namespace broch::onnx
