// sequence.hpp: a tower as two graphs, for inputs that follow one another, such as the tokens of a
// text: what it keeps of earlier ones is an input of the second graph.
#pragma once
#include <string>
#include <vector>

#include "capture/capture.hpp"

namespace broch::capture {

// Each NAME for which a tower publishes state/NAME, what it has kept of earlier inputs, and
// next/NAME, what it keeps behind those of a call.
std::vector<std::string> states_of(const tower::Tower& tower);

struct CapturedSequence {
  Captured first;  // also returns each next/NAME
  Captured later;  // the same, and each state/NAME is an input
};

// For any number of places along dimension 1 of the inputs, whatever wish.fixed says, or else for
// one place. inputs: those of the graph for wish. Throws base::Error as capture does. REQUIRES:
// states_of is not empty. [main]
CapturedSequence capture_sequence(tower::Tower& tower, const Wish& wish,
                                  const std::vector<std::string>& inputs);

}  // namespace broch::capture
