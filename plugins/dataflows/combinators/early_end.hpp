// early_end.hpp: what a dataflow says of a child that has fewer points than its size.
#pragma once
#include <broch/broch.hpp>

namespace broch::dataflows {

// For parents that compute indices from the size of a child: otherwise, the points behind its end
// would be left out without a word. index, size: of the round of the child.
[[noreturn]] inline void refuse_early_end(uint64_t index, uint64_t size) {
  throw Error(BROCH_E_INVALID_ARGUMENT,
              "found the end of a round before point " + std::to_string(index) + ", expected " +
                  std::to_string(size) +
                  " points, since the dataflow says that it has so many: if 'take' is in it, make "
                  "the option points smaller");
}

}  // namespace broch::dataflows
