// wav.hpp: sound as a WAV file of 16-bit numbers.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace broch::store {

// samples: (frames, channels) from -1 to 1, clipped; what is no number is silence. rate: frames per
// second. The number of samples is a multiple of channels.
std::string encode_wav(std::span<const float> samples, int32_t channels, int32_t rate);

}  // namespace broch::store
