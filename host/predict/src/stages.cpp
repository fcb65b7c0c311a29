// stages.cpp: leaves out batches, orders and repetitions.
#include "stages.hpp"

#include "data/flow.hpp"
#include "predict/preprocessing.hpp"

namespace broch::predict {

using manifest::Component;

const Component* inner_flow(const Component& flow) {
  for (const Component& child : flow.children)
    if (const Component* found = data::dataflow_in(child)) return found;
  return nullptr;
}

std::vector<const Component*> stages_of(const Component* flow) {
  std::vector<const Component*> stages;
  for (; flow && !flow->is_reference(); flow = inner_flow(*flow))
    if (uses(plain_files().find("each_point"), flow->entry) || !inner_flow(*flow))
      stages.push_back(flow);
  return stages;
}

}  // namespace broch::predict
