// wav.cpp: the header of RIFF files with PCM, and the numbers behind it. The format:
// https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html.
#include "store/wav.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace broch::store {
namespace {

constexpr uint32_t kHeadBytes = 36;  // from "WAVE" up to the numbers
constexpr uint32_t kFormatBytes = 16;
constexpr uint16_t kPcm = 1, kSampleBytes = 2;

template <class Number>
void append(std::string& to, Number value) {
  static_assert(std::endian::native == std::endian::little, "WAV is little-endian");
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

int16_t whole(float sample) {
  constexpr float kLargest = 32767;
  return std::isnan(sample)
             ? int16_t{0}
             : static_cast<int16_t>(std::nearbyint(std::clamp(sample, -1.0F, 1.0F) * kLargest));
}

}  // namespace

std::string encode_wav(std::span<const float> samples, int32_t channels, int32_t rate) {
  const auto bytes = static_cast<uint32_t>(samples.size() * kSampleBytes);
  const auto frame = static_cast<uint16_t>(channels * kSampleBytes);
  std::string wav = "RIFF";
  append(wav, kHeadBytes + bytes);
  wav += "WAVEfmt ";
  append(wav, kFormatBytes);
  append(wav, kPcm);
  append(wav, static_cast<uint16_t>(channels));
  append(wav, static_cast<uint32_t>(rate));
  append(wav, static_cast<uint32_t>(rate) * frame);
  append(wav, frame);
  append(wav, static_cast<uint16_t>(8 * kSampleBytes));
  wav += "data";
  append(wav, bytes);
  for (const float sample : samples) append(wav, whole(sample));
  return wav;
}

}  // namespace broch::store
