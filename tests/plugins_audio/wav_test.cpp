// wav_test.cpp: WAV files of common codings and forms, made byte by byte. Sources: Microsoft,
// "Multimedia Programming Interface and Data Specifications 1.0" and "Multiple Channel Audio Data
// and WAVE Files"; EBU Tech 3306 (RF64); ITU-T G.711 (A-law and mu-law).
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "audio/sound.hpp"

using namespace std::string_literals;

namespace {

using Samples = std::vector<float>;

constexpr uint16_t kPcm = 1, kFloat = 3, kALaw = 6, kMuLaw = 7, kExtensible = 0xfffe;

template <class Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

const std::string kUnknown = bytes_of(uint32_t{0xffffffff});
const std::string kShorts =
    bytes_of(int16_t{0}) + bytes_of(int16_t{16384}) + bytes_of(int16_t{-32768});
const Samples kThree = {0, 0.5f, -1};

std::string riff_chunk(const std::string& name, const std::string& data) {
  return name + bytes_of(uint32_t(data.size())) + data + std::string(data.size() % 2, '\0');
}

std::string wav_file(const std::string& chunks) { return riff_chunk("RIFF", "WAVE" + chunks); }

std::string format_chunk(uint16_t coding, uint16_t channels, uint16_t bits,
                         const std::string& more = "") {
  constexpr uint32_t kRate = 8000;
  const auto frame = uint16_t(channels * bits / 8);
  return riff_chunk("fmt ", bytes_of(coding) + bytes_of(channels) + bytes_of(kRate) +
                                bytes_of(kRate * frame) + bytes_of(frame) + bytes_of(bits) + more);
}

// What follows in a format of WAVE_FORMAT_EXTENSIBLE: the bits that count, a mask of loudspeakers,
// and the coding as a GUID.
std::string extension(uint16_t coding, uint16_t bits) {
  return bytes_of(uint16_t{22}) + bytes_of(bits) + bytes_of(uint32_t{4}) + bytes_of(coding) +
         "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"s;
}

// One channel after the other.
Samples samples_of(const std::string& file) {
  audio::Sound sound(file, "a");
  CHECK(sound.rate() == 8000);
  Samples samples(size_t(sound.channels() * sound.frames()));
  sound.read(0, sound.frames(), samples.data(), sound.frames());
  return samples;
}

}  // namespace

TEST_CASE("wav: integers, floats and logarithmic codes") {
  struct Case {
    uint16_t coding, bits;
    std::string data;
    Samples expected;
  };
  const std::vector<Case> cases = {
      {kPcm, 8, "\x80\xff\0"s, {0, 127 / 128.0f, -1}},
      {kPcm, 16, kShorts, kThree},
      {kPcm, 24, "\0\0\0\xff\xff\x7f\0\0\x80"s, {0, 8388607 / 8388608.0f, -1}},
      {kPcm, 32, bytes_of(int32_t{0}) + bytes_of(int32_t{1} << 30) + bytes_of(int32_t{INT32_MIN}),
       kThree},
      {kFloat, 32, bytes_of(0.0f) + bytes_of(0.5f) + bytes_of(-1.25f), {0, 0.5f, -1.25f}},
      {kFloat, 64, bytes_of(0.0) + bytes_of(0.5) + bytes_of(-1.25), {0, 0.5f, -1.25f}},
      {kALaw, 8, "\xd5\xaa\x2a"s, {8 / 32768.0f, 32256 / 32768.0f, -32256 / 32768.0f}},
      {kMuLaw, 8, "\xff\x80\0"s, {0, 32124 / 32768.0f, -32124 / 32768.0f}}};
  for (const Case& one : cases) {
    CAPTURE(one.coding);
    CAPTURE(one.bits);
    const std::string data = riff_chunk("data", one.data);
    CHECK(samples_of(wav_file(format_chunk(one.coding, 1, one.bits) + data)) == one.expected);
    const std::string more = extension(one.coding, one.bits);
    CHECK(samples_of(wav_file(format_chunk(kExtensible, 1, one.bits, more) + data)) ==
          one.expected);
  }
}

TEST_CASE("wav: other chunks, padding, and lengths that are not known") {
  const std::string format = format_chunk(kPcm, 1, 16), data = riff_chunk("data", kShorts);
  const std::string odd = riff_chunk("abcd", "odd");
  const std::string list = riff_chunk("LIST", "INFO" + riff_chunk("ISFT", "Lavf58.29.100\0"s));
  CHECK(samples_of(wav_file(odd + format + list + odd + data + odd + list)) == kThree);
  CHECK(samples_of(wav_file(format_chunk(kPcm, 1, 16, "\0\0"s) + data)) == kThree);
  const std::string bytes = format_chunk(kPcm, 1, 8) + riff_chunk("data", "\x80\xc0\0"s);
  CHECK(samples_of(wav_file(bytes)) == kThree);
  CHECK(samples_of(wav_file(bytes + odd)) == kThree);

  CHECK(samples_of("RIFF" + kUnknown + "WAVE" + format + "data" + kUnknown + kShorts) == kThree);
  const std::string sizes = bytes_of(uint64_t{78}) + bytes_of(uint64_t{kShorts.size()}) +
                            bytes_of(uint64_t{kThree.size()}) + bytes_of(uint32_t{0});
  CHECK(samples_of("RF64" + kUnknown + "WAVE" + riff_chunk("ds64", sizes) + format + "data" +
                   kUnknown + kShorts) == kThree);
}

TEST_CASE("wav: the samples of two channels take turns") {
  const std::string file =
      wav_file(format_chunk(kPcm, 2, 16) + riff_chunk("data", kShorts + bytes_of(int16_t{0})));
  CHECK(samples_of(file) == Samples{0, -1, 0.5f, 0});
}

TEST_CASE("wav: a part of a coding that has to be decoded from its start") {
  // GSM 6.10: blocks of 65 bytes with 320 samples. Any bytes are sound.
  const std::string format = riff_chunk(
      "fmt ", bytes_of(uint16_t{0x31}) + bytes_of(uint16_t{1}) + bytes_of(uint32_t{8000}) +
                  bytes_of(uint32_t{1625}) + bytes_of(uint16_t{65}) + bytes_of(uint16_t{0}) +
                  bytes_of(uint16_t{2}) + bytes_of(uint16_t{320}));
  constexpr int64_t kBlocks = 20, kFrames = 320 * kBlocks, kStart = 5000, kCount = 700;
  std::string blocks;
  for (int64_t i = 0; i < 65 * kBlocks; ++i) blocks += char(i * i * 37 + i / 3);
  const std::string file = wav_file(format + riff_chunk("data", blocks));
  audio::Sound whole(file, "a"), part(file, "b");
  REQUIRE(whole.frames() == kFrames);
  Samples all(kFrames), some(kCount);
  whole.read(0, kFrames, all.data(), kFrames);
  part.read(kStart, kCount, some.data(), kCount);
  CHECK(some == Samples(all.begin() + kStart, all.begin() + kStart + kCount));
  CHECK(some != Samples(kCount, 0));
}
