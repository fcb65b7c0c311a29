// mix.hpp: mixup and cutmix, which mix the rows of a batch with each other.
#pragma once
#include <algorithm>

#include "images/components/places.hpp"
#include "images/mix.hpp"

namespace images {

struct MixOptions : PixelOptions {
  enum class Output { soft, pair };
  broch::JsonText label;
  double alpha, prob;
  std::optional<int64_t> num_classes;
  Output output;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option(
          "label", &MixOptions::label,
          "The component with the labels: integers of shape (N), or float32 of shape (N, classes).")
          .schema(kOneComponent)
          .by_default(1),
      broch::option("alpha", &MixOptions::alpha,
                    "The weight of the first image is drawn from Beta(alpha, alpha).")
          .above(0)
          .by_default(1),
      broch::option("prob", &MixOptions::prob, "The probability of mixing a batch.")
          .minimum(0)
          .maximum(1)
          .by_default(1),
      broch::option("num_classes", &MixOptions::num_classes,
                    "The number of classes; required for soft labels if the labels are integers.")
          .minimum(1),
      broch::option("output", &MixOptions::output,
                    "soft: labels become float32 of shape (N, classes) and are mixed like the "
                    "images. pair: labels stay; the labels of the other images and the weight of "
                    "the first image are appended as components.")
          .one_of("soft", "pair")
          .by_default("soft"));
};

// What was drawn for a batch: row i is mixed with row order[i].
struct Mixing {
  double lambda = 1;  // the share of row i
  std::vector<int64_t> order;
  cv::Rect box;  // of cutmix
};

template <class Options>
class Mix : public broch::Transform {
 public:
  Mix(const broch::Host& host, const Options& options)
      : image_(broch::Config(host), "/component"),
        label_(broch::Config(host), "/label"),
        options_(options) {}

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) final {
    const uint32_t image = image_.in(in);
    const uint32_t label = label_.in(in);
    const broch_dl_tensor images = in.view(image), labels = in.view(label);
    if (images.ndim < 2 || labels.ndim < 1 || images.shape[0] != labels.shape[0])
      refuse("component " + image_.text(), "a first dimension other than that of the labels",
             "a batch of images and their labels", "put the transform into a map around batch",
             BROCH_E_INVALID_ARGUMENT);
    Mixing mixing;
    mixing.order = draw_permutation(images.shape[0], draws);
    const bool is_mixed = draws.chance(options_.prob);
    if (is_mixed) mixing.lambda = draw_beta(options_.alpha, draws);
    const uint32_t count = in.size();
    const bool is_pair = options_.output == MixOptions::Output::pair;
    if (is_mixed) prepare(images, mixing, draws);
    for (uint32_t i = 0; i < count; ++i) {
      if (i == image)
        write_images(images, mixing, out, in.name(i));
      else if (i == label && !is_pair)
        write_soft(labels, mixing, out, in.name(i));
      else if (i == label)
        out.add(labels, in.name(i));
      else
        in.move(i, out);
    }
    if (is_pair) write_pair(labels, mixing, out, in.name(label));
  }

 protected:
  // What else is to be drawn.
  virtual void prepare(const broch_dl_tensor& images, Mixing& mixing,
                       broch::Draws& draws) const = 0;
  virtual void write_images(const broch_dl_tensor& images, const Mixing& mixing,
                            broch::PointWriter& out, const char* name) const = 0;

  ComponentName image_, label_;
  Options options_;

 private:
  static int64_t integer_at(const broch_dl_tensor& labels, int64_t row) {
    switch (broch::dtype_of(labels.dtype)) {
      case BROCH_INT64:
        return broch::view_as<const int64_t>(labels)[size_t(row)];
      case BROCH_INT32:
        return broch::view_as<const int32_t>(labels)[size_t(row)];
      case BROCH_UINT8:
        return broch::view_as<const uint8_t>(labels)[size_t(row)];
      default:
        refuse("labels", broch::dtype_name(broch::dtype_of(labels.dtype)),
               "int64, int32 or uint8 of shape [N], or float32 of shape [N, classes]",
               "convert them", BROCH_E_INVALID_ARGUMENT);
    }
  }

  void write_soft(const broch_dl_tensor& labels, const Mixing& mixing, broch::PointWriter& out,
                  const char* name) const {
    const int64_t rows = labels.shape[0];
    if (labels.ndim == 2) {
      const auto values = broch::view_as<const float>(labels);
      const int64_t classes = labels.shape[1];
      float* to = out.allocate<float>({rows, classes}, name);
      for (int64_t i = 0; i < rows; ++i)
        mix_rows(values.data() + i * classes, values.data() + mixing.order[size_t(i)] * classes,
                 classes, mixing.lambda, to + i * classes);
      return;
    }
    if (labels.ndim != 1)
      refuse("labels", "shape " + broch::shape_text({labels.shape, labels.shape + labels.ndim}),
             "integers of shape [N], or float32 of shape [N, classes]",
             "name other labels, or set output to pair", BROCH_E_INVALID_ARGUMENT);
    if (!options_.num_classes)
      refuse("/num_classes", "null", "the number of classes, since the labels are integers",
             "set it", BROCH_E_INVALID_ARGUMENT);
    const int64_t classes = *options_.num_classes;
    float* to = out.allocate<float>({rows, classes}, name);
    std::fill_n(to, rows * classes, 0.0f);
    for (int64_t i = 0; i < rows; ++i) {
      to[i * classes + checked(integer_at(labels, i))] += float(mixing.lambda);
      const int64_t other = integer_at(labels, mixing.order[size_t(i)]);
      to[i * classes + checked(other)] += float(1 - mixing.lambda);
    }
  }

  int64_t checked(int64_t label) const {
    if (label < 0 || label >= *options_.num_classes)
      refuse("labels", std::to_string(label), "0 to " + std::to_string(*options_.num_classes - 1),
             "correct num_classes", BROCH_E_INVALID_ARGUMENT);
    return label;
  }

  static void write_pair(const broch_dl_tensor& labels, const Mixing& mixing,
                         broch::PointWriter& out, const char* name) {
    if (!broch::is_compact(labels))
      refuse("labels", "a tensor with gaps between its elements", "compact memory",
             "copy them in the dataflow", BROCH_E_INVALID_ARGUMENT);
    const std::string other = name ? name + std::string("_other") : "";
    const int64_t rows = labels.shape[0];
    const int64_t row_bytes =
        broch::element_count(labels.shape + 1, size_t(labels.ndim - 1)) * labels.dtype.bits / 8;
    auto* to = static_cast<char*>(out.allocate(labels.dtype, labels.shape, size_t(labels.ndim),
                                               name ? other.c_str() : nullptr));
    const char* from = static_cast<const char*>(labels.data) + labels.byte_offset;
    for (int64_t i = 0; i < rows; ++i)
      std::copy_n(from + mixing.order[size_t(i)] * row_bytes, row_bytes, to + i * row_bytes);
    *out.allocate<float>({}, name ? "lambda" : nullptr) = float(mixing.lambda);
  }
};

// Calls write with the elements of the images, by their type.
template <class Write>
void by_type(const broch_dl_tensor& images, const Write& write) {
  const broch_dtype dtype = broch::dtype_of(images.dtype);
  if (dtype == BROCH_FLOAT32) return write(broch::view_as<const float>(images));
  if (dtype == BROCH_UINT8) return write(broch::view_as<const uint8_t>(images));
  refuse("images", broch::dtype_name(dtype), "float32 or uint8", "convert them",
         BROCH_E_INVALID_ARGUMENT);
}

inline std::vector<int64_t> shape_of(const broch_dl_tensor& tensor) {
  return {tensor.shape, tensor.shape + tensor.ndim};
}

// Zhang et al., "mixup: beyond empirical risk minimization", 2017.
class Mixup final : public Mix<MixOptions> {
 public:
  using Mix::Mix;

 private:
  void prepare(const broch_dl_tensor&, Mixing&, broch::Draws&) const override {}
  void write_images(const broch_dl_tensor& images, const Mixing& mixing, broch::PointWriter& out,
                    const char* name) const override {
    by_type(images, [&](auto pixels) {
      using T = std::remove_const_t<std::remove_pointer_t<decltype(pixels.data())>>;
      T* to = out.allocate<T>(shape_of(images), name);
      const int64_t rows = images.shape[0],
                    row = int64_t(pixels.size()) / std::max<int64_t>(rows, 1);
      for (int64_t i = 0; i < rows; ++i)
        mix_rows(pixels.data() + i * row, pixels.data() + mixing.order[size_t(i)] * row, row,
                 mixing.lambda, to + i * row);
    });
  }
};

struct CutmixOptions : MixOptions {
  enum class Layout { hwc, chw };
  Layout layout;
  static constexpr auto schema = broch::options(
      MixOptions::schema,
      broch::option("layout", &CutmixOptions::layout,
                    "The layout of an image: height, width, channels or channels, height, width.")
          .one_of("hwc", "chw")
          .by_default("hwc"));
};

// Yun et al., "CutMix", 2019: a box of the image comes from the other one.
class Cutmix final : public Mix<CutmixOptions> {
 public:
  using Mix::Mix;

 private:
  // An image is `planes` times height x width x pixel elements.
  struct Geometry {
    int64_t rows, planes, height, width, pixel;
  };
  Geometry geometry(const broch_dl_tensor& images) const {
    const int64_t* shape = images.shape;
    if (images.ndim == 3) return {shape[0], 1, shape[1], shape[2], 1};
    if (images.ndim != 4)
      refuse("images", std::to_string(images.ndim) + " dimensions", "3 or 4, with the batch",
             "name another component", BROCH_E_INVALID_ARGUMENT);
    if (options_.layout == CutmixOptions::Layout::chw)
      return {shape[0], shape[1], shape[2], shape[3], 1};
    return {shape[0], 1, shape[1], shape[2], shape[3]};
  }

  void prepare(const broch_dl_tensor& images, Mixing& mixing, broch::Draws& draws) const override {
    const Geometry g = geometry(images);
    if (g.height < 1 || g.width < 1) return;
    mixing.box = draw_cutmix_box({int(g.width), int(g.height)}, mixing.lambda, draws);
  }

  void write_images(const broch_dl_tensor& images, const Mixing& mixing, broch::PointWriter& out,
                    const char* name) const override {
    const Geometry g = geometry(images);
    by_type(images, [&](auto pixels) {
      using T = std::remove_const_t<std::remove_pointer_t<decltype(pixels.data())>>;
      T* to = out.allocate<T>(shape_of(images), name);
      std::copy(pixels.begin(), pixels.end(), to);
      const cv::Rect box = mixing.box;
      for (int64_t i = 0; i < g.rows; ++i)
        for (int64_t plane = 0; plane < g.planes; ++plane)
          for (int y = box.y; y < box.y + box.height; ++y) {
            const auto at = [&](int64_t row) {
              return (((row * g.planes + plane) * g.height + y) * g.width + box.x) * g.pixel;
            };
            std::copy_n(pixels.data() + at(mixing.order[size_t(i)]), box.width * g.pixel,
                        to + at(i));
          }
    });
  }
};

}  // namespace images
