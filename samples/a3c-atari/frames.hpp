// frames.hpp: what a player sees: the last four frames of a game.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace a3c {

constexpr int64_t kFrames = 4, kSide = 84;
constexpr size_t kFrameBytes = size_t(kSide) * kSide;

// Row-major, (4, 84, 84), the oldest frame first. Several threads may read it.
using State = std::shared_ptr<const std::vector<uint8_t>>;

// At the beginning of an episode, all frames are the first one.
inline State first_state(const uint8_t* frame) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < kFrames; ++i) bytes.insert(bytes.end(), frame, frame + kFrameBytes);
  return std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
}

inline State next_state(const State& before, const uint8_t* frame) {
  std::vector<uint8_t> bytes;
  bytes.reserve(before->size());
  bytes.assign(before->begin() + kFrameBytes, before->end());
  bytes.insert(bytes.end(), frame, frame + kFrameBytes);
  return std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
}

}  // namespace a3c
