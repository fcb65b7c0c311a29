// applied.hpp: an instance of a transform, applied to made points.
#pragma once
#include <memory>
#include <string>

#include "abi/roles.hpp"
#include "made_points.hpp"

namespace broch::check {

// What a transform makes of a point that is made with this key.
struct Applied {
  bool refused = false;
  std::string words;  // of all points that it made, or why it was refused
};

// An error of the transform counts as a refusal. [any thread]
Applied apply(abi::Transform& transform, const MadePoint& made, uint64_t key);

}  // namespace broch::check
