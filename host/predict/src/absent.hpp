// absent.hpp: the steps before a model, for data that lack some components, such as labels.
#pragma once
#include <string>
#include <vector>

#include "manifest/component.hpp"

namespace broch::predict {

// A component of a data point, as the dataflow that reads files has it in the manifest.
struct SourceComponent {
  std::string name;  // "": none
  bool absent = false;
};

// Leaves the absent ones out of the option "components" of the dataflow that reads files.
void drop_absent(value::Value& source, const std::vector<SourceComponent>& components);

bool lacks_some(const std::vector<SourceComponent>& components);

// Leaves out what the steps do to absent components alone, as the schemas of transforms tell
// ("x-broch-point"), and counts the other components anew. A transform that does something with
// several components together stays as it is, and fails if one of them is absent. Throws
// base::Error (usage) if it cannot be known what a transform does to those that are there.
void leave_out_absent(std::vector<value::Value>& steps,
                      const std::vector<SourceComponent>& components,
                      const manifest::Catalog& kinds);

}  // namespace broch::predict
