// names.hpp: the names of the rooms below that this room uses as its own. The namespace is not
// called torch, since ::torch is LibTorch's.
#pragma once

namespace broch::runtime {}
namespace broch::compiler {}

namespace broch::libtorch {
using namespace runtime;
using namespace compiler;
}  // namespace broch::libtorch
