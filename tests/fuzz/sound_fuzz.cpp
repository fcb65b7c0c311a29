// sound_fuzz.cpp: any bytes as a sound file: samples or an Error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "audio/sound.hpp"
#include "broch/cpp/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    audio::Sound sound({reinterpret_cast<const char*>(data), size}, "fuzz");
    const int64_t count = std::min<int64_t>(sound.frames(), 10'000);
    std::vector<float> samples(size_t(count * sound.channels()));
    sound.read(sound.frames() - count, count, samples.data(), count);
  } catch (const broch::Error&) {
  }
  return 0;
}
