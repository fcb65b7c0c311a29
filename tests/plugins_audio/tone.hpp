// tone.hpp: the sound of the good files, computed as in tests/reference/make_sounds.py.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace support {

constexpr int64_t kSamples = 1200;

// channel: 0 or 1.
inline std::vector<float> tone(int channel) {
  std::vector<float> sound;
  for (int64_t i = 0; i < kSamples; ++i) {
    const double turn = 2 * std::numbers::pi * double(i) / 16000;
    const double noise = 0.01 * double((i * 7919) % 101 - 50) / 50;
    sound.push_back(float(channel == 0 ? 0.5 * std::sin(440 * turn) + noise
                                       : 0.25 * std::sin(double(100 + i) * turn)));
  }
  return sound;
}

}  // namespace support
