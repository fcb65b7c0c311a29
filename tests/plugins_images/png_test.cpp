// png_test.cpp: PNG files of every kind, made byte by byte. Source: W3C, "Portable Network Graphics
// (PNG) Specification", third edition.
#include <zlib.h>

#include <vector>

#include "support.hpp"

using namespace images;
using namespace std::string_literals;

namespace {

struct Kind {
  int color, depth;
};
constexpr Kind kKinds[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                           {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
constexpr Kind kColors{2, 8};

std::string big_endian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += char(value >> shift);
  return bytes;
}

std::string png_chunk(const std::string& name, const std::string& data) {
  const std::string content = name + data;
  const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(content.data()), uInt(content.size()));
  return big_endian(uint32_t(data.size())) + content + big_endian(uint32_t(crc));
}

std::string deflated(const std::string& rows) {
  uLongf size = compressBound(uLong(rows.size()));
  std::string data(size, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(data.data()), &size,
                   reinterpret_cast<const Bytef*>(rows.data()), uLong(rows.size())) == Z_OK);
  data.resize(size);
  return data;
}

uint32_t sample(const Kind& kind, int x, int y, int channel) {
  const auto place = uint32_t(x * 7919 + y * 104729 + channel * 31337 + x * y * 31);
  return place * 2654435761u >> (32 - kind.depth);
}

cv::Vec3b palette(uint32_t index) {
  return {uint8_t(index * 37 + 5), uint8_t(index * 91 + 7), uint8_t(255 - index)};
}

// Every step_x-th pixel of every step_y-th row: each row is its filter, which is none, and the
// samples, in as many bits as they have.
std::string rows_of(const Kind& kind, cv::Size size, int left, int top, int step_x, int step_y) {
  const int channels = kind.color == 2 ? 3 : kind.color == 4 ? 2 : kind.color == 6 ? 4 : 1;
  std::string rows;
  for (int y = top; y < size.height && left < size.width; y += step_y) {
    std::vector<int> bits;
    for (int x = left; x < size.width; x += step_x)
      for (int channel = 0; channel < channels; ++channel)
        for (int bit = kind.depth - 1; bit >= 0; --bit)
          bits.push_back(int(sample(kind, x, y, channel) >> bit & 1));
    bits.resize((bits.size() + 7) / 8 * 8);
    rows += '\0';
    for (size_t i = 0; i < bits.size(); i += 8) {
      int byte = 0;
      for (size_t bit = 0; bit < 8; ++bit) byte = byte << 1 | bits[i + bit];
      rows += char(byte);
    }
  }
  return rows;
}

std::string pixels_of(const Kind& kind, cv::Size size, bool interlaced) {
  if (!interlaced) return rows_of(kind, size, 0, 0, 1, 1);
  constexpr int kPasses[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                 {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  std::string rows;
  for (const auto& [left, top, step_x, step_y] : kPasses)
    rows += rows_of(kind, size, left, top, step_x, step_y);
  return rows;
}

// before, behind: chunks around the pixels, which lie in three chunks of which one is empty.
std::string png_file(const Kind& kind, cv::Size size, bool interlaced,
                     const std::string& before = "", const std::string& behind = "") {
  const std::string head = big_endian(uint32_t(size.width)) + big_endian(uint32_t(size.height)) +
                           char(kind.depth) + char(kind.color) + "\0\0"s + char(interlaced);
  std::string file = "\x89PNG\r\n\x1a\n"s + png_chunk("IHDR", head) + before;
  if (kind.color == 3) {
    std::string entries;
    for (uint32_t i = 0; i < 1u << kind.depth; ++i)
      for (int channel = 0; channel < 3; ++channel) entries += char(palette(i)[channel]);
    file += png_chunk("PLTE", entries);
  }
  const std::string data = deflated(pixels_of(kind, size, interlaced));
  const size_t half = data.size() / 2;
  return file + png_chunk("IDAT", data.substr(0, half)) + png_chunk("IDAT", "") +
         png_chunk("IDAT", data.substr(half)) + behind + png_chunk("IEND", "");
}

// 16 bits lose the lower ones, as with Pillow and OpenCV; fewer than 8 are spread over 0 to 255.
cv::Mat seen(const Kind& kind, cv::Size size) {
  cv::Mat image(size, CV_8UC3);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const auto byte = [&](int channel) {
        const uint32_t value = sample(kind, x, y, channel);
        return uint8_t(kind.depth == 16 ? value >> 8 : value * 255 / ((1u << kind.depth) - 1));
      };
      const bool is_gray = kind.color == 0 || kind.color == 4;
      image.at<cv::Vec3b>(y, x) =
          kind.color == 3 ? palette(sample(kind, x, y, 0))
                          : cv::Vec3b(byte(0), byte(is_gray ? 0 : 1), byte(is_gray ? 0 : 2));
    }
  return image;
}

}  // namespace

TEST_CASE("png: every color type and depth, interlaced or not") {
  const std::string gamma = png_chunk("gAMA", big_endian(100000));
  const std::string text = png_chunk("tEXt", "a\0b"s);
  for (const Kind& kind : kKinds)
    for (const cv::Size& size : {cv::Size(13, 11), cv::Size(3, 5), cv::Size(1, 1)})
      for (const bool interlaced : {false, true}) {
        CAPTURE(kind.color);
        CAPTURE(kind.depth);
        CAPTURE(size.width);
        CAPTURE(interlaced);
        const std::string file = png_file(kind, size, interlaced, gamma, text);
        const cv::Mat wanted = seen(kind, size);
        REQUIRE(support::same(support::decode(file, Channels::rgb), wanted));
        if (kind.color != 0 && kind.color != 4) continue;
        cv::Mat gray;
        cv::extractChannel(wanted, gray, 0);
        REQUIRE(support::same(support::decode(file, Channels::gray), gray));
      }
}

TEST_CASE("png: the orientation may lie before or behind the pixels") {
  const std::string exif = "MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"s;
  const std::string chunk = png_chunk("eXIf", exif);
  const std::string prefixed = png_chunk("eXIf", "Exif\0\0"s + exif);
  const cv::Size size(13, 11);
  const cv::Mat stored = seen(kColors, size);
  cv::Mat turned;
  cv::rotate(stored, turned, cv::ROTATE_90_CLOCKWISE);
  for (const std::string& file :
       {png_file(kColors, size, false, chunk), png_file(kColors, size, false, "", chunk),
        png_file(kColors, size, true, "", chunk), png_file(kColors, size, false, prefixed),
        png_file(kColors, size, false, "", prefixed)}) {
    CHECK(support::same(support::decode(file, Channels::rgb), turned));
    CHECK(support::same(support::decode(file, Channels::rgb, 1, false), stored));
  }
}

TEST_CASE("png: what is wrong with a chunk before the pixels is said, if they need it") {
  const cv::Size size(3, 5);
  std::string text = png_chunk("tEXt", "a\0b"s);
  text.back() = char(text.back() ^ 1);
  const std::string odd = png_file(kColors, size, false, text);
  CHECK(support::same(support::decode(odd, Channels::rgb), seen(kColors, size)));

  std::string file = png_file({3, 2}, size, false);
  char& checksum = file[file.find("IDAT") - 5];  // of the palette; a length of four bytes follows
  checksum = char(checksum ^ 1);
  CHECK_THROWS_WITH_AS(support::decode(file, Channels::rgb),
                       "PNG: found 'invalid chunk checksum', expected an intact file; restore the "
                       "file, or leave it out",
                       broch::Error);
}
