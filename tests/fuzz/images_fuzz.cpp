// images_fuzz.cpp: any bytes as a file of a dataset: images or an Error.
#include <archive/inflate.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "broch/cpp/error.hpp"
#include "datasets/labelled_images.hpp"

namespace {

datasets::LabelledImages parse(int format, std::string_view bytes) {
  datasets::LabelledImages images;
  switch (format) {
    case 0:
      // The first byte says how many bytes of labels come first.
      if (bytes.empty() || bytes.size() < uint8_t(bytes[0]) + size_t{1}) return images;
      return datasets::parse_mnist(bytes.substr(1 + uint8_t(bytes[0])), "i",
                                   bytes.substr(1, uint8_t(bytes[0])), "l");
    case 1:
      add_cifar(images, bytes, 1, false, 10, "c");
      return images;
    case 2:
      add_cifar(images, bytes, 2, true, 20, "c");
      return images;
    case 3:
      return datasets::parse_digits(bytes, true, "d");
    default:
      return datasets::parse_svhn(bytes, "s");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (broch::archive::is_gzip(bytes))
      bytes = broch::archive::inflate(bytes, broch::archive::Wrapping::gzip, 1 << 20, "g");
    const datasets::LabelledImages images = parse(data[0] % 8, bytes);
    std::string image(images.image_bytes(), '\0');
    for (uint64_t i = 0; i < images.count() && i < 100; ++i)
      images.copy_image(i, data[0] & 8, reinterpret_cast<uint8_t*>(image.data()));
  } catch (const broch::Error&) {
  }
  return 0;
}
