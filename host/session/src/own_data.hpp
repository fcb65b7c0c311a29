// own_data.hpp: what the training reads has one reader.
#pragma once
#include "session/instances.hpp"

namespace broch::session {

// In the middle of a round, another reader would begin one of its own, and perhaps at the same time
// on another thread. This does not matter for a dataflow that is read by index. Throws base::Error
// (manifest) that names the second reader. input: the source of the training.
void require_own_data(const Instances& instances, abi::Instance& input);

}  // namespace broch::session
