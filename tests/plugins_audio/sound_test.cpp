// sound_test.cpp: sound files that soundfile wrote, and damaged ones.
#include "audio/sound.hpp"

#include <doctest/doctest.h>

#include <random>

#include "broch/cpp/error.hpp"
#include "folder.hpp"
#include "tone.hpp"

using audio::Sound;

namespace {

std::string good(const std::string& name) { return broch::test::read_file(GOOD_DIR "/" + name); }

std::string refusal(const std::string& bytes) {
  try {
    Sound sound(bytes, "a");
    const int64_t count = std::min<int64_t>(sound.frames(), 100'000);
    std::vector<float> samples(size_t(count * sound.channels()));
    sound.read(0, count, samples.data(), count);
    return "";
  } catch (const broch::Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("wav: two channels of floats, in whole and in part") {
  const std::string bytes = good("tone.wav");
  Sound sound(bytes, "a");
  REQUIRE(sound.channels() == 2);
  REQUIRE(sound.frames() == support::kSamples);
  CHECK(sound.rate() == 16000);
  constexpr int64_t kStart = 100, kCount = 1000, kStride = 1001;
  std::vector<float> samples(2 * kStride, 9);
  sound.read(kStart, kCount, samples.data(), kStride);
  for (int channel = 0; channel < 2; ++channel) {
    const std::vector<float> expected = support::tone(channel);
    for (int64_t i = 0; i < kCount; ++i)
      REQUIRE(samples[size_t(channel * kStride + i)] ==
              doctest::Approx(expected[size_t(kStart + i)]).epsilon(1e-6));
    CHECK(samples[size_t(channel * kStride + kCount)] == 9);
  }
}

TEST_CASE("wav: FLAC with 16 bits") {
  const std::string bytes = good("tone.flac");
  Sound sound(bytes, "a");
  REQUIRE(sound.frames() == support::kSamples);
  std::vector<float> samples(support::kSamples);
  sound.read(0, support::kSamples, samples.data(), support::kSamples);
  const std::vector<float> expected = support::tone(0);
  for (size_t i = 0; i < samples.size(); ++i)
    REQUIRE(std::abs(samples[i] - expected[i]) < 1.0f / 32767);
}

TEST_CASE("wav: FLAC as it is written to a pipe, without its length") {
  std::string bytes = good("tone.flac");
  const std::string whole = bytes;
  // The last 36 bits before the checksum of the sound.
  bytes[21] = char(bytes[21] & 0xf0);
  bytes.replace(22, 4, 4, '\0');
  Sound sound(bytes, "a"), known(whole, "b");
  REQUIRE(sound.frames() == support::kSamples);
  constexpr int64_t kStart = 900, kCount = support::kSamples - kStart;
  std::vector<float> samples(kCount), expected(kCount);
  sound.read(kStart, kCount, samples.data(), kCount);
  known.read(kStart, kCount, expected.data(), kCount);
  CHECK(samples == expected);
  CHECK(refusal(bytes.substr(0, bytes.size() - 10)).find("cut short") != std::string::npos);
}

TEST_CASE("wav: FLAC whose samples do not have their checksum, with and without a length") {
  std::string bytes = good("tone.flac");
  bytes.back() = char(bytes.back() ^ 1);  // the checksum of the only frame
  CHECK(refusal(bytes).find("a: sample 0: found data that cannot be decoded") == 0);
  bytes[21] = char(bytes[21] & 0xf0);
  bytes.replace(22, 4, 4, '\0');
  CHECK(refusal(bytes).find("a: sample 0: found data that cannot be decoded") == 0);
}

TEST_CASE("wav: MP3 with and without a number of frames, behind a tag") {
  using namespace std::string_literals;
  // MPEG 1, layer 3, 32 kbit/s, 32 kHz, one channel: 1152 samples in 144 bytes. No side information
  // and no data are silence. Source: ISO/IEC 11172-3, 2.4.1.
  constexpr int64_t kSamples = 20 * 1152;
  // libmpg123 leaves out the delay of a decoder where the file says its number of frames.
  constexpr int64_t kDelay = 529;
  const std::string head = "\xff\xfb\x18\xc0"s, frame = head + std::string(140, '\0');
  const std::string counted =
      head + std::string(17, '\0') + "Xing\0\0\0\1\0\0\0\x14"s + std::string(111, '\0');
  REQUIRE(counted.size() == frame.size());
  std::string sound;
  for (int64_t i = 0; i < 20; ++i) sound += frame;
  const std::string tag = "ID3\3\0\0\0\0\7\x68"s + std::string(1000, '\0');
  struct File {
    std::string bytes;
    int64_t samples;
  };
  const std::vector<File> files = {
      {sound, kSamples}, {tag + sound, kSamples}, {tag + counted + sound, kSamples - kDelay}};
  for (const File& file : files) {
    Sound silence(file.bytes, "a");
    CHECK(silence.rate() == 32000);
    REQUIRE(silence.channels() == 1);
    REQUIRE(silence.frames() == file.samples);
    std::vector<float> samples(size_t(silence.frames()), 9);
    silence.read(0, silence.frames(), samples.data(), silence.frames());
    CHECK(samples == std::vector<float>(samples.size(), 0));
  }
}

TEST_CASE("wav: a head without samples, as a recorder leaves it that was stopped") {
  using namespace std::string_literals;
  const std::string bytes =
      "RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80>\0\0\0}\0\0\2\0\x10\0data\0\0\0\0"s;
  CHECK(refusal(bytes + std::string(200, 'x')).find("0 samples, expected at least one") !=
        std::string::npos);
}

TEST_CASE("wav: what is no sound, and damaged files") {
  CHECK(refusal("").find("a: found ''") == 0);
  CHECK(refusal("no sound").find("expected a sound file") != std::string::npos);
  const std::string flac = good("tone.flac");
  CHECK(refusal(flac.substr(0, flac.size() / 2)).find("cut short") != std::string::npos);
  constexpr int kMutations = 3000;
  std::mt19937_64 random(20260801);
  int refused = 0;
  for (int round = 0; round < kMutations; ++round) {
    std::string bytes = good(round % 2 ? "tone.wav" : "tone.flac");
    for (uint64_t n = random() % 4 + 1; n > 0; --n)
      bytes[random() % (random() % 2 ? bytes.size() : 60)] = char(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    refused += !refusal(bytes).empty();
  }
  MESSAGE(refused << " of " << kMutations << " were refused");
  CHECK(refused > 0);
}
