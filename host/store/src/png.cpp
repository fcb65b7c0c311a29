// png.cpp: the three chunks that every PNG needs (RFC 2083). Only zlib is used, since it is linked
// statically; PNG libraries are shared ones, which other machines may lack.
#include "store/png.hpp"

#include <zlib.h>

#include <algorithm>

#include "base/error.hpp"

namespace broch::store {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

void append_big_endian(std::string& to, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift);
}

void append_chunk(std::string& to, const std::string& type, const std::string& data) {
  append_big_endian(to, static_cast<uint32_t>(data.size()));
  const std::string content = type + data;
  to += content;
  append_big_endian(to, static_cast<uint32_t>(crc32_z(
                            0, reinterpret_cast<const Bytef*>(content.data()), content.size())));
}

std::string header(int32_t height, int32_t width, int32_t channels) {
  std::string data;
  append_big_endian(data, static_cast<uint32_t>(width));
  append_big_endian(data, static_cast<uint32_t>(height));
  data += '\x08';  // bits per sample
  data += channels == 1 ? '\x00' : channels == 3 ? '\x02' : '\x06';
  data += std::string(3, '\0');  // deflate, the five standard filters, no interlacing
  return data;
}

// Each row is preceded by the number of its filter: 0 is none.
std::string filtered(std::span<const uint8_t> pixels, size_t height, size_t stride) {
  std::string rows;
  rows.reserve(height * (stride + 1));
  for (size_t row = 0; row < height; ++row) {
    rows += '\0';
    rows.append(reinterpret_cast<const char*>(pixels.data()) + row * stride, stride);
  }
  return rows;
}

[[noreturn]] void refuse(std::string found, std::string expected) {
  throw base::Error(base::Exit::data,
                    base::Diagnostic{"image", std::move(found), std::move(expected), ""});
}

std::string compressed(const std::string& rows) {
  uLongf size = compressBound(rows.size());
  std::string data(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(data.data()), &size,
                reinterpret_cast<const Bytef*>(rows.data()), rows.size(), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) refuse("zlib error " + std::to_string(status), "compressed pixels");
  data.resize(size);
  return data;
}

}  // namespace

std::string encode_png(std::span<const uint8_t> pixels, int32_t height, int32_t width,
                       int32_t channels) {
  constexpr int32_t kMaxSide = 1 << 16;
  if (channels != 1 && channels != 3 && channels != 4)
    refuse(std::to_string(channels) + " channels", "1, 3 or 4");
  if (height < 1 || width < 1 || height > kMaxSide || width > kMaxSide)
    refuse("a size of " + std::to_string(width) + " by " + std::to_string(height),
           "sides from 1 to 65536");
  const size_t stride = static_cast<size_t>(width) * static_cast<size_t>(channels);
  if (pixels.size() != static_cast<size_t>(height) * stride)
    refuse(std::to_string(pixels.size()) + " bytes of pixels",
           std::to_string(static_cast<size_t>(height) * stride));
  const std::string data = compressed(filtered(pixels, static_cast<size_t>(height), stride));
  if (data.size() > 0x7FFFFFFF) refuse("more than 2 GiB compressed", "a smaller image");
  std::string png(kSignature);
  append_chunk(png, "IHDR", header(height, width, channels));
  append_chunk(png, "IDAT", data);
  append_chunk(png, "IEND", "");
  return png;
}

}  // namespace broch::store
