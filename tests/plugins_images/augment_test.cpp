// augment_test.cpp: pixels are those of numpy, OpenCV and Pillow for the same draws.
#include "images/color.hpp"
#include "images/geometry.hpp"
#include "images/noise.hpp"
#include "images/policy.hpp"
#include "support.hpp"

using namespace images;

namespace {

const nlohmann::json& recorded() {
  static const nlohmann::json all = nlohmann::json::parse(support::recorded("augmented.json"));
  return all;
}

cv::Mat image_of(const nlohmann::json& recorded) {
  const auto& shape = recorded["shape"];
  const int channels = shape.size() > 2 ? int(shape[2]) : 1;
  const bool is_bytes = recorded["dtype"] == "uint8";
  cv::Mat image(shape[0], shape[1], CV_MAKETYPE(is_bytes ? CV_8U : CV_32F, channels));
  size_t i = 0;
  for (const double value : recorded["values"]) {
    if (is_bytes)
      image.ptr<uint8_t>()[i++] = uint8_t(value);
    else
      image.ptr<float>()[i++] = float(value);
  }
  return image;
}

using Change = std::function<void(const cv::Mat& from, cv::Mat& to)>;

// Compares for uint8 and float32. tolerance: the largest difference of an element of uint8.
// Interpolation rounds differently in other versions of OpenCV, and kWarped is for places that
// OpenCV 4 rounds to 1/32 of a pixel. type: of the result, -1: that of the image.
constexpr int kWarped = 4;
void check(const std::string& name, const Change& change, int tolerance = 0, int type = -1) {
  for (const std::string kind : {"uint8", "float32"}) {
    CAPTURE(name);
    CAPTURE(kind);
    const cv::Mat from = image_of(recorded()["input, " + kind]);
    const cv::Mat wanted = image_of(recorded().at(name + ", " + kind));
    cv::Mat to(wanted.size(), type < 0 ? from.type() : type);
    change(from, to);
    REQUIRE(to.type() == wanted.type());
    const double limit = to.depth() == CV_8U || tolerance == kWarped ? tolerance
                         : tolerance                                 ? 0.1
                                                                     : 0.002;
    CHECK(cv::norm(to, wanted, cv::NORM_INF) <= limit);
  }
}

void check_policy(const std::string& name, PolicyOperation operation, double strength) {
  CAPTURE(name);
  const cv::Mat from = image_of(recorded()["input, uint8"]);
  cv::Mat to(from.size(), from.type());
  change_values(operation, strength, from, to);
  CHECK(support::same(to, image_of(recorded().at("policy " + name))));
}

void check_matrix(const std::string& name, const cv::Matx23d& matrix) {
  for (int i = 0; i < 6; ++i)
    CHECK(matrix.val[i] == doctest::Approx(recorded()[name]["values"][size_t(i)].get<double>()));
}

const AffineDraw kTurn{1.1, 1, -2, 12, 33};

}  // namespace

TEST_CASE("augment: values") {
  check("brightness 20.7", [](auto& from, auto& to) { add_brightness(from, 20.7, true, to); });
  check("brightness -31.2", [](auto& from, auto& to) { add_brightness(from, -31.2, true, to); });
  check("brightness_scale 1.37",
        [](auto& from, auto& to) { scale_brightness(from, 1.37, true, to); });
  check("contrast 1.4", [](auto& from, auto& to) {
    change_contrast(from, 1.4, ContrastMean::per_channel, true, to);
  });
  check("contrast 0.6 rgb", [](auto& from, auto& to) {
    change_contrast(from, 0.6, ContrastMean::gray_of_rgb, true, to);
  });
  check("saturation 1.3",
        [](auto& from, auto& to) { change_saturation(from, 1.3, true, true, to); });
  check("saturation 0.6",
        [](auto& from, auto& to) { change_saturation(from, 0.6, true, true, to); });
  check("gamma 0.3", [](auto& from, auto& to) { change_gamma(from, 0.3, to); });
  check("gamma -0.4", [](auto& from, auto& to) { change_gamma(from, -0.4, to); });
  check("clip 60 to 120", [](auto& from, auto& to) { clip(from, 60, 120, to); });
  check("light", [](auto& from, auto& to) { add_light(from, {12.5, -7.25, 40}, true, to); });
  check(
      "hue 33.3", [](auto& from, auto& to) { shift_hue(from, 33.3, true, to); }, 1);
  check(
      "hue -20", [](auto& from, auto& to) { shift_hue(from, -20, true, to); }, 1);
}

TEST_CASE("augment: contrast by the mean of the gray image, whatever the channels") {
  const auto changed = [](const cv::Mat& from) {
    cv::Mat to(from.size(), from.type());
    change_contrast(from, 0.6, ContrastMean::gray_of_rgb, true, to);
    return to;
  };
  const cv::Mat image = image_of(recorded()["input, uint8"]);
  cv::Mat with_alpha, colors, gray;
  cv::cvtColor(image, with_alpha, cv::COLOR_RGB2RGBA);
  cv::cvtColor(changed(with_alpha), colors, cv::COLOR_RGBA2RGB);
  CHECK(support::same(colors, changed(image)));
  cv::cvtColor(image, gray, cv::COLOR_RGB2GRAY);
  CHECK_NOTHROW(changed(gray));
  CHECK_THROWS_WITH_AS(changed(cv::Mat(2, 2, CV_8UC2, cv::Scalar::all(9))),
                       "image: found 2 channels, expected 1, 3 or 4; set rgb to null, so that each "
                       "channel has its own mean",
                       broch::Error);
}

TEST_CASE("augment: normalizations") {
  const auto normalized = [](const char* name, const Change& change) {
    check(name, change, 0, CV_32FC3);
  };
  normalized("variance", [](auto& from, auto& to) { normalize_variance(from, true, to); });
  normalized("variance per channel",
             [](auto& from, auto& to) { normalize_variance(from, false, to); });
  normalized("min_max", [](auto& from, auto& to) { normalize_range(from, -1, 1, true, to); });
  normalized("min_max per channel",
             [](auto& from, auto& to) { normalize_range(from, 0, 255, false, to); });
}

TEST_CASE("augment: sizes and motions") {
  const char* const interpolations[] = {"nearest", "linear", "cubic", "area", "lanczos4"};
  for (int i = 0; i < 5; ++i)
    for (const std::string size : {"17x9", "5x6"})
      check(
          "resize " + size + " " + interpolations[i],
          [i](auto& from, auto& to) {
            cv::resize(from, to, to.size(), 0, 0, flag_of(Interpolation(i)));
          },
          1);
  const char* const borders[] = {"constant", "replicate", "reflect", "reflect_101", "wrap"};
  for (int i = 0; i < 5; ++i)
    check(
        std::string("warp ") + borders[i],
        [i](auto& from, auto& to) {
          warp(from, affine({10, 12}, kTurn, true), Interpolation::linear, {Border(i), 77}, to);
        },
        kWarped);
  check(
      "deform",
      [](auto& from, auto& to) {
        gaussian_deform(from, {{0.5, 0.25}}, {{-2.25, 1.5}}, 0.5, to);
      },
      kWarped);
}

TEST_CASE("augment: matrices") {
  check_matrix("matrix", affine({10, 12}, kTurn, true));
  check_matrix("matrix without shear", affine({31, 20}, {0.8, -3, 2, 0, -71}, false));
  CHECK(largest_upright({40, 30}, 0) == cv::Size(40, 30));
  CHECK(largest_upright({40, 30}, 90) == cv::Size(30, 40));
  CHECK(largest_upright({40, 40}, 45) == cv::Size(28, 28));
  CHECK(largest_upright({100, 20}, 30) == largest_upright({100, 20}, -30));
}

TEST_CASE("augment: policies shear about the corner of the picture, as Pillow does") {
  for (const auto operation : {PolicyOperation::shear_x, PolicyOperation::shear_y}) {
    const auto matrix = motion_of(operation, 0.3, {40, 30});
    REQUIRE(matrix);
    const cv::Vec2d corner = *matrix * cv::Vec3d(-0.5, -0.5, 1);
    CHECK(corner[0] == doctest::Approx(-0.5));
    CHECK(corner[1] == doctest::Approx(-0.5));
  }
}

TEST_CASE("augment: JPEG noise") {
  check("jpeg_noise 50", [](auto& from, auto& to) { jpeg_noise(from, 50, false, to); });
}

TEST_CASE("augment: operations of policies") {
  check_policy("brightness 0.6", PolicyOperation::brightness, 0.6);
  check_policy("brightness 1.7", PolicyOperation::brightness, 1.7);
  check_policy("color 0.3", PolicyOperation::color, 0.3);
  check_policy("color 1.8", PolicyOperation::color, 1.8);
  check_policy("contrast 0.4", PolicyOperation::contrast, 0.4);
  check_policy("contrast 1.5", PolicyOperation::contrast, 1.5);
  check_policy("sharpness 0.2", PolicyOperation::sharpness, 0.2);
  check_policy("sharpness 1.9", PolicyOperation::sharpness, 1.9);
  check_policy("posterize 3", PolicyOperation::posterize, 3);
  check_policy("solarize 99.5", PolicyOperation::solarize, 99.5);
  check_policy("auto_contrast", PolicyOperation::auto_contrast, 0);
  check_policy("equalize", PolicyOperation::equalize, 0);
}

TEST_CASE("augment: strengths of policies") {
  using enum PolicyOperation;
  const cv::Size size(331, 662);
  CHECK(strength_of(rotate, 30, 31, size, false, true) == -30);
  CHECK(strength_of(rotate, 15, 31, size, true, false) == doctest::Approx(67.5));
  CHECK(strength_of(translate_y, 30, 31, size, false, false) == 300);
  CHECK(strength_of(translate_x, 30, 31, size, true, true) == -32);
  CHECK(strength_of(posterize, 30, 31, size, false, false) == 4);
  CHECK(strength_of(posterize, 30, 31, size, true, false) == 2);
  CHECK(strength_of(solarize, 30, 31, size, false, false) == 0);
  CHECK(strength_of(color, 0, 31, size, false, true) == 1);
}
