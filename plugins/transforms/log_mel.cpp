// log_mel.cpp: computes mel spectrograms of sound.
#include "audio/log_mel.hpp"

#include <broch/broch.hpp>

#include "../points/component_name.hpp"

namespace {

struct Options {
  broch::JsonText component;
  double sample_rate;
  int64_t n_fft;
  std::optional<int64_t> hop, window;
  int64_t mels;
  double f_min;
  std::optional<double> f_max;
  audio::Scale scale;
  audio::Norm norm;
  double power;
  audio::Padding padding;
  audio::Log log;
  double floor;
  std::optional<double> top_db;

  static constexpr auto schema = broch::options(
      broch::option("component", &Options::component,
                    "The component with the samples: its name or index (from 0).")
          .schema(BROCH_COMPONENT_APART_SCHEMA)
          .by_default(0),
      broch::option("sample_rate", &Options::sample_rate, "The sample rate.")
          .above(0)
          .by_default(16000)
          .unit("Hz"),
      broch::option("n_fft", &Options::n_fft, "Length of the Fourier transform, in samples.")
          .minimum(1)
          .maximum(1 << 20)
          .by_default(400)
          .unit("samples"),
      broch::option("hop", &Options::hop,
                    "Distance between the starts of two frames, in samples; null: half of window.")
          .minimum(1)
          .unit("samples"),
      broch::option("window", &Options::window,
                    "Length of the Hann window, in samples; null: n_fft.")
          .minimum(1)
          .unit("samples"),
      broch::option("mels", &Options::mels, "Number of bands.")
          .minimum(1)
          .maximum(4096)
          .by_default(128),
      broch::option("f_min", &Options::f_min, "Lower end of the first band.")
          .minimum(0)
          .by_default(0)
          .unit("Hz"),
      broch::option("f_max", &Options::f_max,
                    "Upper end of the last band; null: half of sample_rate.")
          .above(0)
          .unit("Hz"),
      broch::option("scale", &Options::scale, "The formula of the mel scale.")
          .one_of("htk", "slaney")
          .by_default("htk"),
      broch::option("norm", &Options::norm, "slaney: each band is divided by its width.")
          .one_of("none", "slaney")
          .by_default("none"),
      broch::option("power", &Options::power, "Exponent of the magnitude.").above(0).by_default(2),
      broch::option("padding", &Options::padding,
                    "How to pad the samples at both ends, by half of n_fft; none: no padding.")
          .one_of("reflect", "zeros", "none")
          .by_default("reflect"),
      broch::option("log", &Options::log, "decibels: 10 times the decimal logarithm.")
          .one_of("natural", "log10", "decibels", "none")
          .by_default("natural"),
      broch::option("floor", &Options::floor,
                    "Smaller values are raised to this one before the logarithm.")
          .above(0)
          .by_default(1e-10),
      broch::option("top_db", &Options::top_db,
                    "With decibels: smaller values are raised to the maximum of all channels "
                    "minus top_db; null: no limit.")
          .above(0)
          .unit("dB"));
};

audio::LogMelOptions checked(const Options& options) {
  audio::LogMelOptions made;
  made.sample_rate = options.sample_rate;
  made.n_fft = options.n_fft;
  made.window = options.window.value_or(options.n_fft);
  made.hop = options.hop.value_or(std::max<int64_t>(made.window / 2, 1));
  made.mels = options.mels;
  made.f_min = options.f_min;
  made.f_max = options.f_max.value_or(options.sample_rate / 2);
  made.scale = options.scale;
  made.norm = options.norm;
  made.power = options.power;
  made.padding = options.padding;
  made.log = options.log;
  made.floor = options.floor;
  made.top_db = options.top_db;
  if (made.window > made.n_fft)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       "/window: found " + std::to_string(made.window) + ", expected at most " +
                           std::to_string(made.n_fft) + ", which is n_fft");
  if (made.f_min >= made.f_max)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       "/f_min: found " + std::to_string(made.f_min) + ", expected less than " +
                           std::to_string(made.f_max) + ", which is f_max");
  if (made.top_db && made.log != audio::Log::decibels)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       "/top_db: found another log than decibels, expected \"log\": \"decibels\"; "
                       "set it, or leave top_db out");
  return made;
}

class LogMel final : public broch::Transform {
 public:
  LogMel(const broch::Host& host, const Options& options)
      : component_(broch::Config(host), "/component"),
        mels_(options.mels),
        log_mel_(checked(options)) {}

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws) override {
    const uint32_t sound = component_.in(in);
    for (uint32_t i = 0; i < in.size(); ++i) {
      if (i == sound)
        transform(in.view(i), in.name(i), out);
      else
        in.move(i, out);
    }
  }

 private:
  std::string place() const { return "component " + component_.text(); }

  void transform(const broch_dl_tensor& sound, const char* name, broch::PointWriter& out) const {
    const auto samples = broch::view_as<const float>(sound);
    if (sound.ndim != 1 && sound.ndim != 2)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         place() + ": found " + std::to_string(sound.ndim) +
                             " dimensions, expected [samples] or [channels, samples]; decode it "
                             "with wav first");
    const int64_t channels = sound.ndim == 2 ? sound.shape[0] : 1;
    const int64_t length = sound.shape[sound.ndim - 1];
    const std::optional<int64_t> frames = log_mel_.frames(length);
    if (!frames)
      throw broch::Error(BROCH_E_DATA_LOSS, place() + ": found " + std::to_string(length) +
                                                " samples, expected enough for one frame; choose "
                                                "a smaller n_fft, or the padding zeros");
    std::vector<int64_t> shape = {mels_, *frames};
    if (sound.ndim == 2) shape.insert(shape.begin(), channels);
    log_mel_.apply(samples.data(), channels, length, out.allocate<float>(shape, name));
  }

  broch::points::ComponentName component_;
  int64_t mels_;
  audio::LogMel log_mel_;
};

}  // namespace

BROCH_TRANSFORM(LogMel, "broch.transform.log-mel", "1.0.0",
                "Computes mel spectrograms of shape [channels, mels, frames] from samples.",
                Options::schema)
