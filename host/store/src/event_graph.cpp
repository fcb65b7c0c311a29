// event_graph.cpp: encodes a GraphDef.
#include "store/event_graph.hpp"

#include "shape_message.hpp"
#include "wire.hpp"

namespace broch::store {
namespace {

constexpr uint64_t kProducer = 22;  // as PyTorch writes: shapes are in _output_shapes

void put_attribute(Message& node, const std::string& key, const Message& value) {
  Message entry;
  entry.bytes(1, key);
  entry.bytes(2, value.text());
  node.bytes(5, entry.text());
}

Message encode_node(const GraphNode& node) {
  Message message;
  message.bytes(1, node.name);
  message.bytes(2, node.op);
  for (const std::string& input : node.inputs) message.bytes(3, input);
  for (const auto& [key, text] : node.attributes) {
    Message value;
    value.bytes(2, text);
    put_attribute(message, key, value);
  }
  if (node.result_shapes.empty()) return message;
  Message list, value;
  for (const std::vector<int64_t>& sizes : node.result_shapes)
    list.bytes(7, shape_message(sizes).text());
  value.bytes(1, list.text());
  put_attribute(message, "_output_shapes", value);
  return message;
}

}  // namespace

std::string encode_graph(std::span<const GraphNode> nodes) {
  Message graph;
  for (const GraphNode& node : nodes) graph.bytes(1, encode_node(node).text());
  Message versions;
  versions.varint(1, kProducer);
  graph.bytes(4, versions.text());
  return graph.text();
}

}  // namespace broch::store
