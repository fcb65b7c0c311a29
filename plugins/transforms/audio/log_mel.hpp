// log_mel.hpp: mel spectrograms, as torchaudio's MelSpectrogram and librosa's melspectrogram define
// them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "audio/fft.hpp"

namespace audio {

enum class Scale { htk, slaney };
enum class Norm { none, slaney };
enum class Padding { reflect, zeros, none };
enum class Log { natural, log10, decibels, none };

struct LogMelOptions {
  double sample_rate = 16000;      // Hz
  int64_t n_fft = 400, hop = 200;  // samples
  int64_t window = 400;            // samples of the Hann window, in the middle of n_fft
  int64_t mels = 128;
  double f_min = 0, f_max = 8000;  // Hz
  Scale scale = Scale::htk;
  Norm norm = Norm::none;
  double power = 2;                    // of the absolute value
  Padding padding = Padding::reflect;  // by half of n_fft at both ends
  Log log = Log::natural;
  double floor = 1e-10;          // smaller values are raised to it before the logarithm
  std::optional<double> top_db;  // of decibels: the greatest distance from the largest value
};

// A triangle over the bins of the spectrum.
struct MelFilter {
  size_t first = 0;  // bin
  std::vector<double> weights;
};

std::vector<MelFilter> mel_filters(const LogMelOptions& options);

// Const functions can be called from any thread.
class LogMel {
 public:
  explicit LogMel(const LogMelOptions& options);
  // The number of frames. No value: too few samples.
  std::optional<int64_t> frames(int64_t samples) const;
  // Fills out, of shape [channels, mels, frames]. top_db counts from the largest value of all.
  void apply(const float* in, int64_t channels, int64_t samples, float* out) const;

 private:
  // Returns the largest value before the logarithm.
  double apply_channel(const float* in, int64_t samples, float* out) const;
  void fill_frame(const float* in, int64_t samples, int64_t frame, double* to) const;

  LogMelOptions options_;
  Fft fft_;
  std::vector<double> window_;  // n_fft values
  std::vector<MelFilter> filters_;
};

}  // namespace audio
