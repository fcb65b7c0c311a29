// event_graph.hpp: TensorFlow's GraphDef message, which TensorBoard draws: graph.proto,
// node_def.proto, attr_value.proto and tensor_shape.proto of
// https://github.com/tensorflow/tensorflow.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace broch::store {

// What is before the last '/' of a name is a box in the picture that can be opened.
struct GraphNode {
  std::string name, op;
  std::vector<std::string> inputs;  // names of nodes; "NAME:1" is the second result of NAME
  std::map<std::string, std::string> attributes{};
  std::vector<std::vector<int64_t>> result_shapes{};  // -1: a size that is not known
};

std::string encode_graph(std::span<const GraphNode> nodes);

}  // namespace broch::store
