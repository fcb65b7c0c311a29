// mean_image.cpp: subtracts the mean image of a dataset.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildDataFlow of;
  double divisor;

  static constexpr auto schema = broch::options(
      broch::option("of", &Options::of,
                    "The dataset: a dataflow that is read by index and yields uint8 images first."),
      broch::option("divisor", &Options::divisor, "The difference is divided by it.")
          .above(0)
          .by_default(1));
};

// The first component of a point is the image, float32 with the shape of the dataset's images.
class MeanImage final : public broch::Transform {
 public:
  MeanImage(const broch::Host& host, const Options& options)
      : mean_(mean_of(host, options.of)), factor_(float(1 / options.divisor)) {}

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws) override {
    if (in.size() == 0) throw broch::Error(BROCH_E_INVALID_ARGUMENT, "found a point without image");
    const broch_dl_tensor image = in.view(0);
    const auto pixels = broch::view_as<const float>(image);
    require(pixels.size());
    float* const to =
        static_cast<float*>(out.allocate(image.dtype, image.shape, size_t(image.ndim), in.name(0)));
    for (size_t i = 0; i < pixels.size(); ++i) to[i] = (pixels[i] - mean_[i]) * factor_;
    for (uint32_t i = 1; i < in.size(); ++i) in.move(i, out);
  }

 private:
  void require(size_t pixels) const {
    if (pixels != mean_.size())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "found an image of " + std::to_string(pixels) + " numbers, expected " +
                             std::to_string(mean_.size()) + ", as the images of /of have");
  }

  static std::vector<float> mean_of(const broch::Host& host, const broch::ChildDataFlow& images) {
    images.reset_state();
    const auto size = images.size();
    if (!images.indexed() || !size || *size == 0)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/of: expected a dataflow that is read by index and has images");
    const broch::Cancel cancel = broch::Cancel::of_run(host);
    std::vector<uint64_t> sums;
    for (uint64_t i = 0; i < uint64_t(*size); ++i) {
      broch::Point point(host);
      if (!images.read({0, i}, cancel, point))
        throw broch::Error(BROCH_E_DATA_LOSS, "/of: found fewer images than it says that it has");
      add(point.view(0), sums);
    }
    std::vector<float> mean;
    for (const uint64_t sum : sums) mean.push_back(float(double(sum) / double(*size)));
    return mean;
  }

  static void add(const broch_dl_tensor& image, std::vector<uint64_t>& sums) {
    const auto pixels = broch::view_as<const uint8_t>(image);
    if (sums.empty()) sums.resize(pixels.size());
    if (sums.size() != pixels.size())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "/of: found images of different sizes");
    for (size_t i = 0; i < pixels.size(); ++i) sums[i] += pixels[i];
  }

  const std::vector<float> mean_;
  const float factor_;
};

}  // namespace

BROCH_TRANSFORM(MeanImage, "cifar10.mean-image", "1.0.0",
                "Subtracts the mean image of a dataset, and divides.", Options::schema)
