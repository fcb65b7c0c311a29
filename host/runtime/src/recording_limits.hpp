// recording_limits.hpp: how much a frame keeps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace broch::runtime {

constexpr size_t kMaxRecordings = 32;
constexpr size_t kMaxCompiled = 8;  // of one recording
// The values of a step share one workspace, its inputs are each executable's own: 32 shapes of a
// batch of 64 MiB are as much as everything else takes on many machines.
constexpr size_t kMaxRecordedBytes = size_t{2} << 30;

// What one recording takes.
struct Holding {
  uint64_t last_run = 0;
  size_t bytes = 0;
};
// The place of the one to forget: the least recently used while they are too many or too large.
// The one used last stays, whatever it takes.
std::optional<size_t> one_too_many(std::span<const Holding> all);

}  // namespace broch::runtime
