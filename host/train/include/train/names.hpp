// names.hpp: the names of the rooms below that this room uses as its own.
#pragma once

namespace broch::optimizer {}
namespace broch::plan {}

namespace broch::train {
using namespace optimizer;
using namespace plan;
}  // namespace broch::train
