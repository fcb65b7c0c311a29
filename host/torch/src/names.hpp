// names.hpp: makes the names of the rooms below available in this room. The namespace is not called
// torch because ::torch is LibTorch's.
#pragma once

namespace broch::runtime {}
namespace broch::program {}
namespace broch::passes {}
namespace broch::compiler {}

namespace broch::libtorch {
using namespace runtime;
using namespace program;
using namespace passes;
using namespace compiler;
}  // namespace broch::libtorch
