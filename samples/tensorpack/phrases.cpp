// phrases.cpp: generated recordings: tones that rise or fall, with pauses, and which tones they
// are, but not when.
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>

namespace {

struct Options {
  int64_t size, seed;
  double noise;

  static constexpr auto schema = broch::options(
      broch::option("size", &Options::size, "Number of points.").minimum(1).by_default(1000),
      broch::option("seed", &Options::seed, "The seed of the phrases; not that of the run.")
          .by_default(0),
      broch::option("noise", &Options::noise, "Standard deviation of the noise.")
          .minimum(0)
          .by_default(0.5));
};

constexpr int kFrames = 48, kBands = 12, kSymbols = 10, kLongest = 6;

// A point has sound, float32 (48, 12); symbols, int64 (6), 1 to 10 and then 0; length, the number
// of symbols; and frames, the number of frames that are not filled up with 0. The symbols 1 to 5
// rise by three bands, and 6 to 10 fall through the same.
class Phrases final : public broch::Indexed {
 public:
  Phrases(const broch::Host&, const Options& options) : options_(options) {}

  std::optional<int64_t> size() override { return options_.size; }
  bool read(const broch::Position& at, const broch::Cancel&, broch::PointWriter& point) override {
    if (at.index >= uint64_t(options_.size)) return false;
    broch::Draws draws(broch::mixed(uint64_t(options_.seed), at.index));
    float* sound = point.allocate<float>({kFrames, kBands}, "sound");
    int64_t* symbols = point.allocate<int64_t>({kLongest}, "symbols");
    std::fill_n(sound, kFrames * kBands, 0.0F);
    std::fill_n(symbols, kLongest, 0);
    const int64_t length = draws.integer(2, kLongest);
    int64_t frame = 0;
    for (int64_t i = 0; i < length; ++i) {
      frame += draws.integer(0, 2);
      symbols[i] = draws.integer(1, kSymbols);
      frame = sing(int(symbols[i]), frame, draws, sound);
    }
    for (int64_t i = 0; i < frame * kBands; ++i) sound[i] += float(options_.noise * draws.normal());
    *point.allocate<int64_t>({}, "length") = length;
    *point.allocate<int64_t>({}, "frames") = frame;
    return true;
  }

 private:
  // Returns the frame behind it.
  static int64_t sing(int symbol, int64_t frame, broch::Draws& draws, float* sound) {
    const int64_t duration = draws.integer(3, 6);
    const bool rises = symbol <= kSymbols / 2;
    const int lowest = 2 * ((symbol - 1) % (kSymbols / 2));
    for (int64_t i = 0; i < duration; ++i) {
      const double part = double(i) / double(duration - 1);
      const double pitch = lowest + 3 * (rises ? part : 1 - part);
      for (int band = 0; band < kBands; ++band)
        sound[(frame + i) * kBands + band] += float(2 * std::exp(-(band - pitch) * (band - pitch)));
    }
    return frame + duration;
  }

  const Options options_;
};

}  // namespace

BROCH_DATAFLOW(Phrases, "examples.phrases", "1.0.0", "Tones with pauses, and which they are.",
               Options::schema)
