// contact_sheet.hpp: draws the images among the components of data points into one image.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::data {

class ContactSheet {
 public:
  static constexpr size_t kMost = 256;  // images

  // Adds the component if it looks like an image, or each of a batch of images: uint8 (height,
  // width, channels) with 1, 3 or 4 channels; float32 (channels, height, width), whose values are
  // stretched from least to greatest; or either without channels. Returns how many were added.
  size_t add(const broch_dl_tensor& component);
  size_t size() const { return images_.size(); }
  // Writes a PNG. REQUIRES: size() > 0. Throws base::Error (data).
  void write(const std::filesystem::path& file) const;

 private:
  struct Image {
    int64_t height, width;
    std::vector<uint8_t> pixels;  // RGB
  };
  std::vector<Image> images_;
};

}  // namespace broch::data
