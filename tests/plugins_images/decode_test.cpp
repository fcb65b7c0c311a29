// decode_test.cpp: the pixels are those of Pillow and OpenCV, whole, reduced, turned and cropped.
#include <zlib.h>

#include "images/codec/exif.hpp"
#include "images/codec/jpeg_encoder.hpp"
#include "images/decode_crop.hpp"
#include "support.hpp"

using namespace images;
using support::decode;

namespace {

void check_pixels(const std::string& what, const cv::Mat& pixels, const nlohmann::json& wanted) {
  CAPTURE(what);
  CHECK(pixels.rows == wanted["shape"][0]);
  CHECK(pixels.cols == wanted["shape"][1]);
  const uLong crc = crc32(0, pixels.data, uInt(pixels.total() * pixels.elemSize()));
  CHECK(crc == wanted["crc32"].get<uLong>());
}

}  // namespace

TEST_CASE("decode: pixels are those that Pillow and OpenCV decode") {
  for (const auto& [name, ways] : support::decoded().items()) {
    const std::string file = support::recorded(name);
    for (const auto& [way, wanted] : ways.items()) {
      const Channels channels = way.starts_with("rgb")   ? Channels::rgb
                                : way.starts_with("bgr") ? Channels::bgr
                                                         : Channels::gray;
      const size_t slash = way.find('/');
      const int reduction = slash == std::string::npos ? 1 : way[slash + 1] - '0';
      const bool turned = way.find("stored") == std::string::npos;
      check_pixels(name + ", " + way, decode(file, channels, reduction, turned), wanted);
    }
  }
}

TEST_CASE("decode: four colors without Adobe's marker are read as with it") {
  const std::string marked = support::recorded("cmyk.jpg");
  const size_t at = marked.find("\xFF\xEE");
  REQUIRE(marked.compare(at + 4, 5, "Adobe") == 0);
  const std::string plain = std::string(marked).erase(at, 2 + 14);
  CHECK(support::same(decode(plain, Channels::rgb), decode(marked, Channels::rgb)));
}

TEST_CASE("decode: a sequential JPEG whose range of coefficients is all zeros") {
  using namespace std::string_literals;
  for (const char* const name : {"plain.jpg", "gray.jpg", "restart.jpg"}) {
    CAPTURE(name);
    const std::string file = support::recorded(name);
    // The only scan: 0xFF in its data is followed by 0 or by a restart marker. Its header is the
    // length, the components, and the range: 0 to 63 with all bits.
    const size_t scan = file.rfind("\xFF\xDA");
    const size_t range = scan + 5 + 2 * size_t(file[scan + 4]);
    REQUIRE(file.substr(range, 3) == "\0\x3F\0"s);
    const std::string odd = std::string(file).replace(range, 3, 3, '\0');
    CHECK(support::same(decode(odd, Channels::rgb), decode(file, Channels::rgb)));
  }
}

TEST_CASE("decode: the orientation is a number of any type that TIFF has for it") {
  using namespace std::string_literals;
  const auto orientation = [](const std::string& type_to_value) {
    const std::string entry = "\0\0\0\x08\0\1\x01\x12"s + type_to_value + "\0\0\0\0"s;
    return exif_orientation(support::bytes_of("MM\0*"s + entry));
  };
  CHECK(orientation("\0\3\0\0\0\1\0\6\0\0"s) == 6);
  CHECK(orientation("\0\4\0\0\0\1\0\0\0\6"s) == 6);
  CHECK(orientation("\0\1\0\0\0\1\6\0\0\0"s) == 6);
  CHECK(orientation("\0\2\0\0\0\1\6\0\0\0"s) == 1);
  CHECK(orientation("\0\4\0\0\0\1\0\1\0\6"s) == 1);
}

TEST_CASE("decode: a region has the pixels of the whole picture") {
  broch::Draws draws(1);
  for (const auto& [name, ways] : support::decoded().items()) {
    const std::string file = support::recorded(name);
    for (const Channels channels : {Channels::rgb, Channels::bgr, Channels::gray})
      for (int reduction = name.ends_with(".jpg") ? 8 : 1; reduction > 0; reduction /= 2) {
        const cv::Mat whole = decode(file, channels, reduction);
        for (int i = 0; i < 30; ++i) {
          const int width = int(draws.integer(1, whole.cols));
          const int height = int(draws.integer(1, whole.rows));
          const cv::Rect region(int(draws.integer(0, whole.cols - width)),
                                int(draws.integer(0, whole.rows - height)), width, height);
          CAPTURE(name);
          CAPTURE(reduction);
          CAPTURE(region.x);
          CAPTURE(region.y);
          CAPTURE(width);
          CAPTURE(height);
          Picture one(support::bytes_of(file), support::kMaxPixels, true);
          REQUIRE(support::same(one.read(channels, reduction, region), whole(region)));
          cv::Mat target(region.size(), CV_8UC(count_of(channels)));
          Picture other(support::bytes_of(file), support::kMaxPixels, true);
          other.read(channels, reduction, region, &target);
          REQUIRE(support::same(target, whole(region)));
        }
      }
  }
}

TEST_CASE("decode: a region of one or two columns at an edge has the pixels of the picture") {
  // Blocks are 16 pixels wide, so the last one of this picture has two.
  cv::Mat narrow(40, 18, CV_8UC3);
  cv::randu(narrow, 0, 256);
  const std::vector<uint8_t> encoded = encode_jpeg(narrow, Channels::rgb, 90);
  std::vector<std::string> files = {std::string(encoded.begin(), encoded.end())};
  for (const char* const name : {"plain.jpg", "full_chroma.jpg", "half_chroma.jpg", "gray.jpg",
                                 "progressive.jpg", "restart.jpg"})
    files.push_back(support::recorded(name));
  // One component may have any sampling factors: its blocks lie in the same order.
  std::string sampled = support::recorded("gray.jpg");
  const size_t frame = sampled.find("\xFF\xC0");
  REQUIRE(sampled[frame + 11] == '\x11');
  sampled[frame + 11] = '\x22';
  CHECK(support::same(decode(sampled, Channels::gray), decode(files[4], Channels::gray)));
  files.push_back(sampled);
  for (size_t i = 0; i < files.size(); ++i)
    for (const int reduction : {1, 2, 4, 8}) {
      const cv::Mat whole = decode(files[i], Channels::rgb, reduction);
      for (const int width : {1, 2})
        for (const int x : {0, whole.cols - width})
          for (const int y : {0, 1, whole.rows / 2}) {
            CAPTURE(i);
            CAPTURE(reduction);
            CAPTURE(x);
            CAPTURE(y);
            CAPTURE(width);
            const cv::Rect region(x, y, width, whole.rows - y);
            Picture picture(support::bytes_of(files[i]), support::kMaxPixels, true);
            REQUIRE(support::same(picture.read(Channels::rgb, reduction, region), whole(region)));
          }
    }
}

TEST_CASE("decode: the reduction that suffices") {
  const std::string file = support::recorded("plain.jpg");  // 89 x 108
  const Picture picture(support::bytes_of(file), support::kMaxPixels, true);
  CHECK(picture.reduction_for({89, 108}, {90, 10}) == 1);
  CHECK(picture.reduction_for({89, 108}, {44, 54}) == 2);
  CHECK(picture.reduction_for({89, 108}, {45, 54}) == 1);
  CHECK(picture.reduction_for({89, 108}, {11, 13}) == 8);
}

TEST_CASE("decode: more pixels than allowed are refused before they are decoded") {
  const std::string file = support::recorded("rgb.png");
  CHECK_THROWS_WITH_AS(Picture(support::bytes_of(file), 1199, true),
                       "image: found 40x30 pixels, expected at most 1199; raise max_pixels if the "
                       "file is what it should be",
                       broch::Error);
  CHECK_NOTHROW(Picture(support::bytes_of(file), 1200, true));
  CHECK_THROWS_WITH_AS(Picture(support::bytes_of("GIF89a"), 1200, true),
                       "image: found 6 bytes that begin with 474946383961, expected a JPEG, PNG or "
                       "WebP file; convert the file, or decode it in a transform of your own",
                       broch::Error);
}

TEST_CASE("decode_crop: the pixels of a crop of the whole picture") {
  const std::string file = support::recorded("plain.jpg");
  const cv::Mat whole = decode(file, Channels::rgb);
  const DecodeCrop how{Channels::rgb, {0.3, 1, 0.75, 1.333}, {64, 64}, Interpolation::linear};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    broch::Draws draws(seed), same_draws(seed);
    Picture picture(support::bytes_of(file), support::kMaxPixels, true);
    cv::Mat fused(how.target, CV_8UC3), wanted;
    decode_crop(picture, how, draws, fused);
    const auto crop = random_area_crop(whole.size(), how.range, same_draws);
    REQUIRE(crop);
    cv::resize(whole(*crop), wanted, how.target, 0, 0, cv::INTER_LINEAR);
    CAPTURE(seed);
    REQUIRE(support::same(fused, wanted));  // the crop is less than twice the target
  }
}

TEST_CASE("decode_crop: reduced decoding moves the crop by half a pixel at most") {
  const std::string file = support::recorded("plain.jpg");
  const cv::Mat whole = decode(file, Channels::gray);
  const DecodeCrop how{Channels::gray, {0.6, 1, 0.75, 1.333}, {16, 16}, Interpolation::area};
  double sum = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    broch::Draws draws(seed), same_draws(seed);
    Picture picture(support::bytes_of(file), support::kMaxPixels, true);
    cv::Mat fused(how.target, CV_8UC1), wanted;
    decode_crop(picture, how, draws, fused);
    const auto crop = random_area_crop(whole.size(), how.range, same_draws);
    REQUIRE(crop);
    cv::resize(whole(*crop), wanted, how.target, 0, 0, cv::INTER_AREA);
    CAPTURE(seed);
    const double difference = cv::norm(fused, wanted, cv::NORM_L1) / 256;
    CHECK(difference < 16);  // of 255; a photograph of which 4 or 5 pixels are one here
    sum += difference;
  }
  CHECK(sum / 100 < 8);
}

TEST_CASE("decode_crop: a picture that no crop fits is resized and cut at its center") {
  const std::string file = support::recorded("plain.jpg");
  broch::Draws draws(3);
  Picture picture(support::bytes_of(file), support::kMaxPixels, true);
  const DecodeCrop how{Channels::rgb, {1, 1, 30, 31}, {20, 20}, Interpolation::linear};
  cv::Mat pixels(how.target, CV_8UC3);
  decode_crop(picture, how, draws, pixels);
  CHECK(cv::mean(pixels)[0] > 20);
}
