// stages.hpp: the dataflows of a manifest through which a sample passes.
#pragma once
#include <vector>

#include "manifest/component.hpp"

namespace broch::predict {

// The first dataflow inside this one; nullptr: it is a source.
const manifest::Component* inner_flow(const manifest::Component& flow);

// Those in this one, which may be nullptr, that matter: the steps, outermost first, and the source.
std::vector<const manifest::Component*> stages_of(const manifest::Component* flow);

}  // namespace broch::predict
