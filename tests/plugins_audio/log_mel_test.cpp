// log_mel_test.cpp: transforms of every kind of length, and spectrograms that librosa computed.
#include "audio/log_mel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>

#include "audio/fft.hpp"
#include "tone.hpp"

using namespace audio;

TEST_CASE("fft: lengths with small, large and repeated factors, against the definition") {
  for (const size_t n : {1, 2, 3, 4, 5, 6, 8, 9, 12, 13, 30, 64, 97, 121, 394, 400, 441, 512}) {
    CAPTURE(n);
    std::vector<Complex> in(n), out(n);
    for (size_t i = 0; i < n; ++i) in[i] = {double(i * 37 % 11) - 5, double(i * 53 % 7) - 3};
    const Fft fft(n);
    REQUIRE(fft.size() == n);
    fft.transform(in.data(), out.data());
    for (size_t k = 0; k < n; ++k) {
      Complex sum = 0;
      for (size_t j = 0; j < n; ++j)
        sum += in[j] * std::polar(1.0, -2 * std::numbers::pi * double(j * k % n) / double(n));
      REQUIRE(std::abs(out[k] - sum) < 1e-9 * double(n));
    }
  }
}

TEST_CASE("log-mel: what librosa computes, and torchaudio with its defaults") {
  const std::vector<float> sound = support::tone(0);
  std::ifstream file(GOOD_DIR "/spectrograms.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    CAPTURE(line.substr(0, 60));
    std::istringstream words(line);
    LogMelOptions options;
    std::string scale, norm, padding, log;
    int64_t mels = 0, frames = 0;
    words >> options.n_fft >> options.hop >> options.window >> options.mels >> scale >> norm >>
        options.power >> padding >> log >> mels >> frames;
    options.f_min = 20;
    options.f_max = 7600;
    options.scale = scale == "htk" ? Scale::htk : Scale::slaney;
    options.norm = norm == "none" ? Norm::none : Norm::slaney;
    options.padding = padding == "reflect" ? Padding::reflect
                      : padding == "zeros" ? Padding::zeros
                                           : Padding::none;
    options.log = log == "natural"    ? Log::natural
                  : log == "log10"    ? Log::log10
                  : log == "decibels" ? Log::decibels
                                      : Log::none;
    if (options.log == Log::decibels) options.top_db = 40;
    const LogMel log_mel(options);
    REQUIRE(log_mel.frames(support::kSamples) == frames);
    std::vector<float> found(size_t(mels * frames));
    log_mel.apply(sound.data(), 1, support::kSamples, found.data());
    for (const float value : found) {
      double expected = 0;
      words >> expected;
      REQUIRE(double(value) == doctest::Approx(expected).epsilon(2e-5));
    }
    REQUIRE(words);
  }
  CHECK(lines == 4);
}

TEST_CASE("log-mel: top_db counts from the largest value of all channels") {
  LogMelOptions options;
  options.log = Log::decibels;
  options.top_db = 40;
  const LogMel log_mel(options);
  std::vector<float> sound = support::tone(0);
  for (int64_t i = 0; i < support::kSamples; ++i)
    sound.push_back(sound[size_t(i)] / 1000);  // 60 dB less
  const size_t size = size_t(options.mels * *log_mel.frames(support::kSamples));
  std::vector<float> alone(size), both(2 * size);
  log_mel.apply(sound.data(), 1, support::kSamples, alone.data());
  log_mel.apply(sound.data(), 2, support::kSamples, both.data());
  CHECK(std::equal(alone.begin(), alone.end(), both.begin()));
  const float least = *std::max_element(alone.begin(), alone.end()) - 40;
  for (size_t i = size; i < both.size(); ++i) REQUIRE(both[i] == doctest::Approx(least));
}

TEST_CASE("log-mel: the spectrum of one sample is flat") {
  LogMelOptions options;
  options.window = 1;
  options.log = Log::none;
  options.norm = Norm::none;
  const LogMel log_mel(options);
  const std::vector<float> ones(1000, 1);
  const int64_t frames = *log_mel.frames(1000);
  std::vector<float> bands(size_t(options.mels * frames));
  log_mel.apply(ones.data(), 1, 1000, bands.data());
  const std::vector<MelFilter> filters = mel_filters(options);
  for (size_t band = 0; band < filters.size(); ++band) {
    const std::vector<double>& weights = filters[band].weights;
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    CHECK(bands[band * size_t(frames)] == doctest::Approx(sum));
  }
}

TEST_CASE("log-mel: the number of frames, and too few samples") {
  LogMelOptions options;
  CHECK(LogMel(options).frames(16000) == 81);
  CHECK_FALSE(LogMel(options).frames(200));
  options.padding = Padding::zeros;
  CHECK(LogMel(options).frames(200) == 2);
  CHECK_FALSE(LogMel(options).frames(0));
  options.padding = Padding::none;
  CHECK(LogMel(options).frames(400) == 1);
  CHECK_FALSE(LogMel(options).frames(399));
}
