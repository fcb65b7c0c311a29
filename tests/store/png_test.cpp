// png_test.cpp: pixels through a PNG and back, decoded by libspng.
#include "store/png.hpp"

#include <spng.h>

#include <memory>

#include "support.hpp"

using namespace broch::store;
using broch::base::Exit;

namespace {

struct Decoded {
  spng_ihdr header{};
  std::vector<uint8_t> pixels;
};

Decoded decode_png(const std::string& png, int format) {
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(0), spng_ctx_free);
  REQUIRE(spng_set_png_buffer(context.get(), png.data(), png.size()) == 0);
  Decoded decoded;
  REQUIRE(spng_get_ihdr(context.get(), &decoded.header) == 0);
  size_t size = 0;
  REQUIRE(spng_decoded_image_size(context.get(), format, &size) == 0);
  decoded.pixels.resize(size);
  REQUIRE(spng_decode_image(context.get(), decoded.pixels.data(), size, format, 0) == 0);
  return decoded;
}

}  // namespace

TEST_CASE("png: another library decodes gray, RGB and RGBA to the same pixels") {
  const struct {
    int32_t channels;
    int format;
    int color_type;
  } kinds[] = {{1, SPNG_FMT_G8, SPNG_COLOR_TYPE_GRAYSCALE},
               {3, SPNG_FMT_RGB8, SPNG_COLOR_TYPE_TRUECOLOR},
               {4, SPNG_FMT_RGBA8, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA}};
  for (const auto& kind : kinds) {
    std::vector<uint8_t> pixels(static_cast<size_t>(7 * 5 * kind.channels));
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 37);
    const Decoded decoded = decode_png(encode_png(pixels, 7, 5, kind.channels), kind.format);
    CHECK(decoded.header.height == 7);
    CHECK(decoded.header.width == 5);
    CHECK(decoded.header.color_type == kind.color_type);
    CHECK(decoded.pixels == pixels);
  }
}

TEST_CASE("png: sizes that do not fit the pixels are refused") {
  const std::vector<uint8_t> pixels(12);
  CHECK(matches(refusal(Exit::data, [&] { encode_png(pixels, 2, 2, 4); }), "12 bytes of pixels"));
  CHECK(matches(refusal(Exit::data, [&] { encode_png(pixels, 2, 3, 2); }), "2 channels"));
  CHECK(matches(refusal(Exit::data, [&] { encode_png(pixels, 0, 3, 4); }), "a size of 3 by 0"));
  CHECK(matches(refusal(Exit::data, [&] { encode_png(pixels, 1 << 20, 3, 4); }), "sides from 1"));
}
