// recording_limits.cpp: least recently used first.
#include "recording_limits.hpp"

#include <algorithm>

namespace broch::runtime {

std::optional<size_t> one_too_many(std::span<const Holding> all) {
  size_t bytes = 0;
  for (const Holding& one : all) bytes += one.bytes;
  if (all.size() <= 1 || (all.size() <= kMaxRecordings && bytes <= kMaxRecordedBytes))
    return std::nullopt;
  const auto oldest = std::ranges::min_element(all, {}, &Holding::last_run);
  return static_cast<size_t>(oldest - all.begin());
}

}  // namespace broch::runtime
