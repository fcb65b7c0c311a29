// labelled_images.hpp: images of equal size, each with a class, as the files of a dataset contain
// them.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/catalog.hpp"

namespace datasets {

// Where the pixels of some pictures are: that of picture n, row y, column x and channel c is at
// n * strides[0] + y * strides[1] + x * strides[2] + c * strides[3].
struct ImagePart {
  std::string_view pixels;
  uint64_t count = 0;
  std::array<uint64_t, 4> strides{};
};

struct LabelledImages {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<ImagePart> parts;  // each has at least one picture
  std::vector<int64_t> labels;

  // What the pixels lie in.
  std::vector<files::Content> files{};
  std::vector<std::shared_ptr<const std::string>> buffers{};

  uint64_t count() const { return labels.size(); }
  uint64_t image_bytes() const { return uint64_t(height * width * channels); }
  // Writes image_bytes() bytes: rows of pixels of channels, or with planes one channel after the
  // other.
  void copy_image(uint64_t i, bool planes, uint8_t* to) const;
};

// Each throws Error that names file and byte. split: "train", "test" and for svhn "extra".
LabelledImages read_mnist(const Place& place, const std::string& split);
LabelledImages read_cifar10(const Place& place, const std::string& split);
// coarse: the 20 superclasses.
LabelledImages read_cifar100(const Place& place, const std::string& split, bool coarse);
LabelledImages read_svhn(const Place& place, const std::string& split);
LabelledImages read_digits(const Place& place, const std::string& split);

// The parsers, which tests reach with bytes of their own. path: the name in messages.
// Records of label_bytes labels and 32x32 pixels in three planes; the last label is taken, or with
// coarse the first.
void add_cifar(LabelledImages& images, std::string_view bytes, size_t label_bytes, bool coarse,
               int64_t classes, const std::string& path);
LabelledImages parse_svhn(std::string_view bytes, const std::string& path);
// Lines of 64 pixels and the digit. test: every fifth line; otherwise the others.
LabelledImages parse_digits(std::string_view bytes, bool test, const std::string& path);
LabelledImages parse_mnist(std::string_view images, const std::string& images_path,
                           std::string_view labels, const std::string& labels_path);

}  // namespace datasets
