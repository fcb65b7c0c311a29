// step.cpp: requests whose memory is used again and again.
#include "replay/step.hpp"

#include <algorithm>

namespace broch::replay {

void Wanted::publish(uint32_t index) {
  const auto place = std::ranges::lower_bound(published, index);
  if (place == published.end() || *place != index) published.insert(place, index);
}

void StepRequest::clear() {
  inputs.clear();
  gradients.clear();
  wanted.published.clear();
  wanted.summaries = wanted.moving = wanted.hooked = wanted.evaluation = false;
}

}  // namespace broch::replay
