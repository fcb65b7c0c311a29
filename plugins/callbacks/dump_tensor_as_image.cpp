// dump_tensor_as_image.cpp: writes a value as pictures. tensorpack: `DumpTensorAsImage`.
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <cstdio>

#include "store/png.hpp"

namespace {

struct Options {
  std::string tensor_name;
  std::optional<std::string> prefix;
  bool channels_last, normalize;
  double scale;
  std::optional<broch::ChildFunction> map_func;

  static constexpr auto schema = broch::options(
      broch::option("tensor_name", &Options::tensor_name,
                    "A variable or a published name: (height, width), (height, width, channels) or "
                    "(N, height, width, channels) with 1, 3 or 4 channels. It is computed on each "
                    "trigger; if it depends on the input, this takes a data point, from an input "
                    "source such as queue.")
          .min_length(1),
      broch::option("prefix", &Options::prefix,
                    "Name of the files and of the picture; null: the last part of the name.")
          .pattern("^[^/]+$"),
      broch::option("channels_last", &Options::channels_last,
                    "false: channels come before the height, as in the weights of a convolution.")
          .by_default(true),
      broch::option("normalize", &Options::normalize,
                    "The smallest of all values becomes 0 and the largest 1, before they are "
                    "scaled.")
          .by_default(false),
      broch::option("scale", &Options::scale,
                    "Pixels are the value times this, clipped to 0 to 255.")
          .by_default(255),
      broch::option("map_func", &Options::map_func,
                    "An expression that replaces each value before it is scaled, such as value / 2 "
                    "+ 0.5; null: none."));
};

// A picture, or several of the same size.
struct Pictures {
  int64_t count = 1, height, width, channels = 1;
  std::vector<uint8_t> pixels;  // (count, height, width, channels)

  size_t size() const { return size_t(height * width * channels); }
};

class DumpTensorAsImage final : public broch::Callback {
 public:
  DumpTensorAsImage(const broch::Host& host, const Options& options)
      : run_(host),
        data_(host),
        metrics_(host),
        log_dir_(host),
        scopes_(host),
        name_(options.tensor_name),
        prefix_(options.prefix.value_or(name_.substr(name_.rfind('/') + 1))),
        channels_last_(options.channels_last),
        normalize_(options.normalize),
        scale_(options.scale),
        map_func_(options.map_func) {}

  void trigger() override {
    const broch::Scope scope = scopes_.open();
    const Pictures all = pictures(run_.eval({name_})[0]);
    for (int64_t i = 0; i < all.count; ++i) write(all, i);
    int64_t shape[] = {all.count, all.height, all.width, all.channels};
    metrics_.put_image(prefix_,
                       broch::dl_view(all.pixels.data(), broch::dl_type(BROCH_UINT8), shape, 4));
  }

 private:
  Pictures pictures(broch_tensor tensor) const {
    const broch_tensor_info info = data_.info(tensor);
    const std::vector<int64_t> shape(info.shape, info.shape + info.rank);
    if (shape.size() < 2 || shape.size() > 4) fail(shape);
    Pictures all;
    const size_t first = shape.size() == 4, row = first + (in_front(shape) ? 1 : 0);
    if (first) all.count = shape[0];
    all.height = shape[row];
    all.width = shape[row + 1];
    if (shape.size() > 2) all.channels = in_front(shape) ? shape[first] : shape.back();
    if (all.channels != 1 && all.channels != 3 && all.channels != 4) fail(shape);
    paint(all, brightness(tensor), in_front(shape) ? all.height * all.width : 1);
    return all;
  }
  // Whether the channels come before the height.
  bool in_front(const std::vector<int64_t>& shape) const {
    return !channels_last_ && shape.size() > 2;
  }
  std::vector<double> brightness(broch_tensor tensor) const {
    std::vector<double> values;
    double least = INFINITY, most = -INFINITY;
    for (const double value : data_.doubles(tensor)) {
      values.push_back(mapped(value));
      if (!std::isfinite(values.back())) continue;
      least = std::min(least, values.back());
      most = std::max(most, values.back());
    }
    const double range = most > least ? most - least : 1;
    if (normalize_)
      for (double& value : values) value = (value - least) / range;
    return values;
  }
  // step: from a channel of a pixel to the next one.
  void paint(Pictures& all, const std::vector<double>& values, int64_t step) const {
    const int64_t next_pixel = step == 1 ? all.channels : 1;
    for (int64_t i = 0; i < all.count; ++i)
      for (int64_t p = 0; p < all.height * all.width; ++p)
        for (int64_t c = 0; c < all.channels; ++c)
          all.pixels.push_back(
              pixel(values[i * all.size() + size_t(p * next_pixel + c * step)] * scale_));
  }
  // An expression without a value leaves the number as it is.
  double mapped(double value) const {
    return map_func_ ? map_func_->call(run_.progress(), value).value_or(value) : value;
  }
  // Rounded, as OpenCV does when it writes numbers; what is no number is black.
  static uint8_t pixel(double value) {
    return std::isnan(value) ? 0 : uint8_t(std::nearbyint(std::clamp(value, 0.0, 255.0)));
  }
  [[noreturn]] void fail(const std::vector<int64_t>& shape) const {
    std::string text;
    for (const int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       name_ + " has shape (" + text + "), expected (height, width), " +
                           (channels_last_ ? "(height, width, channels) or (N, height, width, "
                                             "channels)"
                                           : "(channels, height, width) or (N, channels, height, "
                                             "width)") +
                           " with 1, 3 or 4 channels; see channels_last");
  }
  void write(const Pictures& all, int64_t index) const {
    char name[64];
    std::snprintf(name, sizeof name, "-ep%03lld", (long long)run_.progress().epoch_num);
    std::string number;
    if (index > 0) number.append("-").append(std::to_string(index));
    log_dir_.write_file(
        prefix_ + name + number + ".png",
        broch::store::encode_png({all.pixels.data() + size_t(index) * all.size(), all.size()},
                                 int32_t(all.height), int32_t(all.width), int32_t(all.channels)));
  }

  broch::Run run_;
  broch::TensorData data_;
  broch::Metrics metrics_;
  broch::LogDir log_dir_;
  broch::Scopes scopes_;
  std::string name_, prefix_;
  bool channels_last_, normalize_;
  double scale_;
  std::optional<broch::ChildFunction> map_func_;
};

}  // namespace

BROCH_CALLBACK(DumpTensorAsImage, "broch.callback.dump-tensor-as-image", "1.0.0",
               "Writes a value as pictures PREFIX-epEPOCH.png in the log folder.", Options::schema,
               broch::produces())
