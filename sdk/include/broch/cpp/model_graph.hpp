// model_graph.hpp: the model as a graph of operators.
#pragma once
#include <string>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// See ext/model_graph.h.
class ModelGraph {
 public:
  explicit ModelGraph(const Host& host)
      : host_(host), table_(host.require<broch_host_model_graph>(BROCH_EXT_MODEL_GRAPH)) {}

  // What the model computes in inference up to the outputs, published names, as JSON. No outputs:
  // the one that `broch predict` takes. From before_train on.
  std::string of_model(const std::vector<std::string>& outputs = {}) const {
    std::vector<const char*> names;
    for (const std::string& output : outputs) names.push_back(output.c_str());
    const char* graph = "";
    host_.check(table_->of_model(host_.c(), names.data(), uint32_t(names.size()), &graph));
    return graph;
  }

 private:
  Host host_;
  const broch_host_model_graph* table_;
};

}  // namespace v0
}  // namespace broch
