// compile_step.hpp: from a recorded step to one that can be run.
#pragma once
#include <memory>

#include "compiled_step.hpp"
#include "recorded_step.hpp"
#include "replay/names.hpp"

namespace broch::replay {

// Compiles the program for what is wanted. Throws base::Error. The executable writes to the buffers
// and the workspace, so both must outlive it.
std::unique_ptr<CompiledStep> compile_step(const Tower& tower, const RecordedStep& recorded,
                                           const Wanted& wanted, const KeepsUpdate& keeps,
                                           const RunnerBuffers& buffers, Workspace& workspace);

}  // namespace broch::replay
