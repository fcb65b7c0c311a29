// log_mel.cpp: sources: librosa/filters.py, mel(); torchaudio/functional, melscale_fbanks();
// O'Shaughnessy, "Speech communication", 1987 (htk); Slaney, "Auditory Toolbox", 1998 (slaney).
#include "audio/log_mel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace audio {
namespace {

// Slaney's scale is linear up to 1000 Hz, 200/3 Hz for a mel, and logarithmic above: 27 mels for a
// factor of 6.4.
constexpr double kLinear = 200.0 / 3, kKnee = 1000, kKneeMel = kKnee / kLinear;
const double kStep = std::log(6.4) / 27;

double mel_of(double hertz, Scale scale) {
  if (scale == Scale::htk) return 2595 * std::log10(1 + hertz / 700);
  return hertz < kKnee ? hertz / kLinear : kKneeMel + std::log(hertz / kKnee) / kStep;
}

double hertz_of(double mel, Scale scale) {
  if (scale == Scale::htk) return 700 * (std::pow(10, mel / 2595) - 1);
  return mel < kKneeMel ? mel * kLinear : kKnee * std::exp(kStep * (mel - kKneeMel));
}

// The periodic Hann window, in the middle of n zeros. As in PyTorch and SciPy, one sample stays
// what it is.
std::vector<double> hann(int64_t length, int64_t n) {
  std::vector<double> window(size_t(n), 0);
  const int64_t begin = (n - length) / 2;
  if (length == 1) {
    window[size_t(begin)] = 1;
    return window;
  }
  for (int64_t i = 0; i < length; ++i)
    window[size_t(begin + i)] =
        0.5 - 0.5 * std::cos(2 * std::numbers::pi * double(i) / double(length));
  return window;
}

double logarithm(double value, Log log) {
  if (log == Log::natural) return std::log(value);
  if (log == Log::log10) return std::log10(value);
  return 10 * std::log10(value);
}

}  // namespace

std::vector<MelFilter> mel_filters(const LogMelOptions& options) {
  const double low = mel_of(options.f_min, options.scale);
  const double high = mel_of(options.f_max, options.scale);
  std::vector<double> edges;  // in Hz; filter m reaches from edge m to edge m + 2
  for (int64_t i = 0; i < options.mels + 2; ++i)
    edges.push_back(
        hertz_of(low + (high - low) * double(i) / double(options.mels + 1), options.scale));
  std::vector<MelFilter> filters;
  for (size_t m = 0; m < size_t(options.mels); ++m) {
    const double begin = edges[m], middle = edges[m + 1], end = edges[m + 2];
    const double height = options.norm == Norm::slaney ? 2 / (end - begin) : 1;
    MelFilter filter;
    for (int64_t bin = 0; bin <= options.n_fft / 2; ++bin) {
      const double hertz = double(bin) * options.sample_rate / double(options.n_fft);
      const double weight =
          std::min((hertz - begin) / (middle - begin), (end - hertz) / (end - middle));
      if (weight <= 0) continue;
      if (filter.weights.empty()) filter.first = size_t(bin);
      filter.weights.push_back(weight * height);
    }
    filters.push_back(std::move(filter));
  }
  return filters;
}

LogMel::LogMel(const LogMelOptions& options)
    : options_(options),
      fft_(size_t(options.n_fft)),
      window_(hann(options.window, options.n_fft)),
      filters_(mel_filters(options)) {}

std::optional<int64_t> LogMel::frames(int64_t samples) const {
  const int64_t half = options_.n_fft / 2;
  if (options_.padding == Padding::reflect && samples <= half) return std::nullopt;
  const int64_t padded = samples + (options_.padding == Padding::none ? 0 : 2 * half);
  if (samples < 1 || padded < options_.n_fft) return std::nullopt;
  return 1 + (padded - options_.n_fft) / options_.hop;
}

void LogMel::fill_frame(const float* in, int64_t samples, int64_t frame, double* to) const {
  const int64_t begin =
      frame * options_.hop - (options_.padding == Padding::none ? 0 : options_.n_fft / 2);
  for (int64_t i = 0; i < options_.n_fft; ++i) {
    int64_t at = begin + i;
    if (options_.padding == Padding::reflect) {
      if (at < 0) at = -at;
      if (at >= samples) at = 2 * (samples - 1) - at;
    }
    const bool inside = at >= 0 && at < samples;
    to[i] = inside ? double(in[at]) * window_[size_t(i)] : 0;
  }
}

// Two frames are the real and the imaginary part of one transform Z: the spectrum of the first is
// (Z[k] + conj Z[-k]) / 2, that of the second (Z[k] - conj Z[-k]) / 2i.
double LogMel::apply_channel(const float* in, int64_t samples, float* out) const {
  const int64_t count = *frames(samples);
  const size_t n = fft_.size(), bins = n / 2 + 1;
  std::vector<double> first(n), second(n), spectra(2 * bins);
  std::vector<Complex> joined(n), transformed(n);
  double largest = 0;
  for (int64_t frame = 0; frame < count; frame += 2) {
    const bool is_pair = frame + 1 < count;
    fill_frame(in, samples, frame, first.data());
    if (is_pair) fill_frame(in, samples, frame + 1, second.data());
    for (size_t i = 0; i < n; ++i) joined[i] = {first[i], is_pair ? second[i] : 0};
    fft_.transform(joined.data(), transformed.data());
    for (size_t k = 0; k < bins; ++k) {
      const Complex z = transformed[k], mirrored = std::conj(transformed[(n - k) % n]);
      const double squares[] = {std::norm(z + mirrored) / 4, std::norm(z - mirrored) / 4};
      for (size_t i = 0; i < 2; ++i)
        spectra[i * bins + k] =
            options_.power == 2 ? squares[i] : std::pow(squares[i], options_.power / 2);
    }
    for (size_t m = 0; m < filters_.size(); ++m)
      for (int64_t i = 0; i < (is_pair ? 2 : 1); ++i) {
        const double* const bin = spectra.data() + size_t(i) * bins + filters_[m].first;
        double sum = 0;
        for (size_t k = 0; k < filters_[m].weights.size(); ++k)
          sum += filters_[m].weights[k] * bin[k];
        largest = std::max(largest, sum);
        if (options_.log != Log::none) sum = logarithm(std::max(sum, options_.floor), options_.log);
        out[int64_t(m) * count + frame + i] = float(sum);
      }
  }
  return largest;
}

void LogMel::apply(const float* in, int64_t channels, int64_t samples, float* out) const {
  const int64_t size = options_.mels * *frames(samples);
  double largest = options_.floor;
  for (int64_t channel = 0; channel < channels; ++channel)
    largest =
        std::max(largest, apply_channel(in + channel * samples, samples, out + channel * size));
  if (options_.log != Log::decibels || !options_.top_db) return;
  const float least = float(logarithm(largest, Log::decibels) - *options_.top_db);
  for (int64_t i = 0; i < channels * size; ++i) out[i] = std::max(out[i], least);
}

}  // namespace audio
