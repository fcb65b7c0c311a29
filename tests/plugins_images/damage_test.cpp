// damage_test.cpp: damaged files end in pixels or an Error, never in a crash.
#include <random>

#include "images/decode_crop.hpp"
#include "support.hpp"

using namespace images;

namespace {

constexpr unsigned kSeed = 20261125;

// True when pixels came out; any other exception than Error fails the test.
bool survives(const std::string& file, uint64_t seed) {
  try {
    broch::Draws draws(seed);
    Picture picture(support::bytes_of(file), 1'000'000, true);
    const DecodeCrop how{
        Channels(seed % 3), {0.1, 1, 0.75, 1.333}, {24, 24}, Interpolation::linear};
    cv::Mat pixels(how.target, CV_8UC(count_of(how.channels)));
    decode_crop(picture, how, draws, pixels);
    return true;
  } catch (const broch::Error& error) {
    REQUIRE(std::string(error.what()).find(", expected ") != std::string::npos);
    return false;
  }
}

void damage(std::string& bytes, std::mt19937_64& random) {
  // Half of the damage goes to the headers.
  const size_t reach = random() % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 200);
  const size_t at = random() % reach;
  switch (random() % 6) {
    case 0:
      bytes.erase(at, random() % 4 + 1);
      break;
    case 1:
      bytes.insert(at, bytes.substr(random() % bytes.size(), 20));
      break;
    case 2:
      bytes[at] = char(random());
      break;
    default:
      bytes[at] = char(bytes[at] ^ 1 << random() % 8);
  }
}

}  // namespace

TEST_CASE("damage: a file that is cut off is refused") {
  for (const char* name : {"plain.jpg", "progressive.jpg", "gray.jpg", "rgb.png", "palette.png",
                           "lossy.webp", "lossless.webp"}) {
    const std::string whole = support::recorded(name);
    for (size_t size = 0; size + 16 < whole.size(); size += 1 + size / 50) {
      CAPTURE(name);
      CAPTURE(size);
      REQUIRE_THROWS_AS(support::decode(whole.substr(0, size), Channels::rgb), broch::Error);
    }
    CHECK_NOTHROW(support::decode(whole, Channels::rgb));  // the codec can be used again
  }
}

TEST_CASE("damage: 20,000 damaged files are decoded or refused") {
  std::mt19937_64 random(kSeed);
  std::vector<std::string> files;
  for (const auto& [name, ways] : support::decoded().items())
    files.push_back(support::recorded(name));
  int decoded = 0;
  constexpr int kRounds = 20000;
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = files[size_t(round) % files.size()];
    for (uint64_t n = random() % 3 + 1; n > 0; --n) damage(bytes, random);
    CAPTURE(round);
    decoded += survives(bytes, uint64_t(round));
  }
  MESSAGE(decoded << " of " << kRounds << " were decoded, seed " << kSeed);
  CHECK(decoded > 0);
  CHECK(decoded < kRounds);
}
