// graph_nodes.hpp: the graph of a model as the nodes that TensorBoard draws.
#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "store/event_graph.hpp"

namespace broch::monitors {

// A node stands in the box of the variables that it uses, "conv0" for "conv0/W"; what uses none, in
// the box of what it continues. So a picture begins with the layers of the model.
class GraphNodes {
 public:
  using Json = nlohmann::ordered_json;

  // graph: see broch/ext/model_graph.h.
  explicit GraphNodes(const std::string& graph) : graph_(Json::parse(graph)) {
    places_.resize(graph_["values"].size());
    add_named("inputs", "Placeholder");
    add_named("weights", "Parameter");
    for (const Json& node : graph_["nodes"]) add(node);
    for (const Json& output : graph_["outputs"]) add_output(output);
  }
  const std::vector<store::GraphNode>& nodes() const { return nodes_; }

 private:
  // Where a value comes from.
  struct Place {
    std::string name, box;
    bool is_weight = false;
  };

  // A box for each part of PyTorch's names, such as layer1.0.conv1.weight, as well.
  static std::string boxed(std::string name) {
    if (name.find('/') == name.npos) std::replace(name.begin(), name.end(), '.', '/');
    return name;
  }

  static std::string box_of(const std::string& name) {
    const size_t slash = name.rfind('/');
    return slash == name.npos ? "" : name.substr(0, slash);
  }

  std::string unused(const std::string& name) {
    std::string free = name;
    for (int i = 1; !used_.insert(free).second; ++i) free = name + "_" + std::to_string(i);
    return free;
  }

  std::vector<int64_t> shape_of(size_t value) const {
    std::vector<int64_t> shape;
    for (const Json& size : graph_["values"][value]["shape"])
      shape.push_back(size.is_number() ? size.get<int64_t>() : -1);
    return shape;
  }

  void add_named(const char* list, const char* op) {
    for (const size_t value : graph_[list]) {
      const Json& said = graph_["values"][value];
      const std::string name = unused(boxed(said.value("name", "value")));
      places_[value] = {name, box_of(name), op == std::string("Parameter")};
      nodes_.push_back({name, op, {}, {{"dtype", said["dtype"]}}, {shape_of(value)}});
    }
  }

  // That of a weight, or else of the first input that has one.
  std::string box_for(const std::vector<size_t>& inputs) const {
    std::string box;
    for (const size_t value : inputs) {
      if (places_[value].is_weight) return places_[value].box;
      if (box.empty()) box = places_[value].box;
    }
    return box;
  }

  void add(const Json& node) {
    std::vector<size_t> inputs;
    for (const int64_t value : node["inputs"])
      if (value >= 0) inputs.push_back(size_t(value));
    const std::string op = node["operator"], box = box_for(inputs);
    const std::string name = unused((box.empty() ? "" : box + "/") + op.substr(op.rfind(':') + 1));
    store::GraphNode drawn{name, op, {}};
    for (const size_t value : inputs) drawn.inputs.push_back(places_[value].name);
    for (const auto& [key, argument] : node["arguments"].items())
      drawn.attributes[key] = argument.dump();
    int64_t number = 0;
    for (const int64_t value : node["results"]) {
      drawn.result_shapes.push_back(value < 0 ? std::vector<int64_t>{} : shape_of(size_t(value)));
      if (value >= 0)
        places_[size_t(value)] = {number ? name + ":" + std::to_string(number) : name, box};
      ++number;
    }
    nodes_.push_back(std::move(drawn));
  }

  void add_output(const Json& output) {
    const size_t value = output["value"];
    nodes_.push_back(
        {unused(output["name"]), "Output", {places_[value].name}, {}, {shape_of(value)}});
  }

  Json graph_;
  std::vector<Place> places_;  // by value
  std::vector<store::GraphNode> nodes_;
  std::set<std::string> used_;
};

}  // namespace broch::monitors
