// wav.cpp: decodes sound files (WAV, FLAC, Ogg, …) to samples.
#include <algorithm>
#include <broch/broch.hpp>

#include "../points/component_name.hpp"
#include "audio/sound.hpp"

namespace {

enum class Crop { start, center, random };

struct Options {
  broch::JsonText component;
  std::optional<int64_t> sample_rate, samples;
  Crop crop;
  bool with_rate;

  static constexpr auto schema = broch::options(
      broch::option("component", &Options::component,
                    "The component with the bytes of the file: its name or index (from 0).")
          .schema(BROCH_COMPONENT_APART_SCHEMA)
          .by_default(0),
      broch::option(
          "sample_rate", &Options::sample_rate,
          "The expected sample rate; a file with another rate is an error. null: any rate.")
          .minimum(1)
          .unit("Hz"),
      broch::option("samples", &Options::samples,
                    "Length of each channel: longer sounds are cut, shorter ones are padded with "
                    "zeros at their end. null: as in the file.")
          .minimum(1),
      broch::option("crop", &Options::crop, "Which part of a longer sound to use.")
          .one_of("start", "center", "random")
          .by_default("start"),
      broch::option("with_rate", &Options::with_rate,
                    "Whether to append the sample rate as a component, int64 without dimensions. "
                    "If components have names, its name is sample_rate.")
          .by_default(false));
};

class Wav final : public broch::Transform {
 public:
  Wav(const broch::Host& host, const Options& options)
      : component_(broch::Config(host), "/component"), options_(options) {}

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    const uint32_t sound = component_.in(in);
    int64_t rate = 0;
    for (uint32_t i = 0; i < in.size(); ++i) {
      if (i == sound)
        rate = decode(in.view(i), in.name(i), out, draws);
      else
        in.move(i, out);
    }
    if (options_.with_rate)
      *out.allocate<int64_t>({}, in.name(sound) ? "sample_rate" : nullptr) = rate;
  }

 private:
  std::string place() const { return "component " + component_.text(); }

  // The sample rate.
  int64_t decode(const broch_dl_tensor& bytes, const char* name, broch::PointWriter& out,
                 broch::Draws& draws) const {
    const auto file = broch::view_as<const uint8_t>(bytes);
    audio::Sound sound({reinterpret_cast<const char*>(file.data()), file.size()}, place());
    if (options_.sample_rate && sound.rate() != *options_.sample_rate)
      throw broch::Error(BROCH_E_DATA_LOSS, place() + ": found a sound with " +
                                                std::to_string(sound.rate()) +
                                                " samples per second, expected " +
                                                std::to_string(*options_.sample_rate) +
                                                "; convert the file, or leave it out");
    const int64_t length = options_.samples.value_or(sound.frames());
    // A head of a few bytes may claim any length.
    if (length > kMostSamples / sound.channels())
      throw broch::Error(BROCH_E_DATA_LOSS,
                         place() +
                             ": found more than 2^28 samples, expected fewer; set the option "
                             "samples");
    const int64_t taken = std::min(length, sound.frames());
    const int64_t spare = sound.frames() - taken;
    int64_t start = 0;
    if (options_.crop == Crop::center) start = spare / 2;
    if (options_.crop == Crop::random) start = draws.integer(0, spare);
    float* const samples = out.allocate<float>({sound.channels(), length}, name);
    sound.read(start, taken, samples, length);
    for (int64_t channel = 0; channel < sound.channels(); ++channel)
      std::fill(samples + channel * length + taken, samples + (channel + 1) * length, 0.0f);
    return sound.rate();
  }

  static constexpr int64_t kMostSamples = int64_t{1} << 28;
  broch::points::ComponentName component_;
  Options options_;
};

}  // namespace

BROCH_TRANSFORM(Wav, "broch.transform.wav", "1.0.0",
                "Decodes a sound file to float32 samples of shape [channels, samples].",
                Options::schema)
