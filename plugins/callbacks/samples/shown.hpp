// shown.hpp: outputs of a model as what monitors show: pictures, texts, sounds.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

namespace broch::samples {

// The first samples of an output: a part for each, all of one shape.
struct Rows {
  std::vector<int64_t> shape;  // of one sample
  std::vector<std::vector<float>> samples;

  size_t rank() const { return shape.size(); }
  int64_t size() const {
    int64_t size = 1;
    for (const int64_t one : shape) size *= one;
    return size;
  }
  std::string text() const {
    std::string text = "(N";
    for (const int64_t one : shape) text += ", " + std::to_string(one);
    return text + ")";
  }
};

// What is wrong with the shape of an output.
[[noreturn]] inline void refuse(const std::string& name, const Rows& rows,
                                const std::string& expected) {
  throw Error(BROCH_E_INVALID_ARGUMENT,
              "found " + name + " of shape " + rows.text() + ", expected " + expected);
}

// Pictures (N, height, width, channels), 0 to 255, of (N, height, width), or of pictures with
// channels in front or behind.
inline void put_pictures(const Metrics& metrics, const std::string& name, const Rows& rows,
                         bool channels_last, double scale) {
  const bool has_channels = rows.rank() == 3;
  if (rows.rank() != 2 && !has_channels)
    refuse(name, rows, "(N, height, width), or with channels; see channels_last");
  const size_t first = has_channels && !channels_last ? 1 : 0;
  const int64_t channels = !has_channels ? 1 : channels_last ? rows.shape[2] : rows.shape[0];
  if (channels != 1 && channels != 3 && channels != 4)
    refuse(name, rows, "pictures with 1, 3 or 4 channels; see channels_last");
  const int64_t height = rows.shape[first], width = rows.shape[first + 1];
  std::vector<uint8_t> pixels;
  for (const std::vector<float>& sample : rows.samples)
    for (int64_t pixel = 0; pixel < height * width; ++pixel)
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t at = channels_last ? pixel * channels + c : c * height * width + pixel;
        const double value = double(sample[size_t(at)]) * scale;
        pixels.push_back(
            std::isnan(value) ? 0 : uint8_t(std::nearbyint(std::clamp(value, 0.0, 255.0))));
      }
  int64_t shape[] = {int64_t(rows.samples.size()), height, width, channels};
  metrics.put_image(name, dl_view(pixels.data(), dl_type(BROCH_UINT8), shape, 4));
}

// A sound (frames), or (frames, channels), for each sample: NAME/0, NAME/1 …
inline void put_sounds(const Metrics& metrics, const std::string& name, const Rows& rows,
                       double rate) {
  if (rows.rank() != 1 && rows.rank() != 2)
    refuse(name, rows, "(N, frames) or (N, frames, channels)");
  int64_t shape[] = {rows.shape[0], rows.rank() == 2 ? rows.shape[1] : 1};
  std::deque<std::string> tags;  // whose addresses stay
  std::deque<broch_dl_tensor> tensors;
  std::vector<broch_summary_value> values;
  for (const std::vector<float>& sample : rows.samples) {
    tags.push_back(name + "/" + std::to_string(tags.size()));
    tensors.push_back(dl_view(const_cast<float*>(sample.data()), dl_type(BROCH_FLOAT32), shape, 2));
    values.push_back(
        {tags.back().c_str(), BROCH_SUMMARY_AUDIO, 0, rate, &tensors.back(), nullptr, 0});
  }
  metrics.put_summary(values);
}

// What one sample says: of tokens (T), or of scores of tokens (T, vocabulary), whose largest
// counts.
inline std::string words_of(const std::string& name, const Rows& rows,
                            const std::vector<float>& sample,
                            const std::vector<std::string>& vocabulary) {
  if (rows.rank() != 1 && rows.rank() != 2)
    refuse(name, rows, "tokens (N, T), or scores (N, T, vocabulary)");
  const size_t tokens = size_t(rows.shape[0]), scores = sample.size() / std::max<size_t>(tokens, 1);
  std::string text;
  for (size_t t = 0; t < tokens; ++t) {
    const auto begin = sample.begin() + ptrdiff_t(t * scores);
    const auto token = rows.rank() == 1
                           ? int64_t(*begin)
                           : int64_t(std::max_element(begin, begin + ptrdiff_t(scores)) - begin);
    if (!vocabulary.empty())
      text += (t ? " " : "") +
              (token >= 0 && size_t(token) < vocabulary.size() ? vocabulary[size_t(token)] : "?");
    else
      text += token >= ' ' && token < 127 ? char(token) : token == '\n' ? ' ' : '?';
  }
  return text;
}

// "1.5, 2, -3": the first numbers of a sample.
inline std::string numbers_of(const std::vector<float>& sample) {
  constexpr size_t kMost = 12;
  std::string text;
  for (size_t i = 0; i < std::min(kMost, sample.size()); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%.4g", double(sample[i]));
    text += (i ? ", " : "") + std::string(number);
  }
  return sample.size() > kMost ? text + ", …" : text;
}

}  // namespace broch::samples
