// labelled_images.cpp: the formats of the datasets, from bytes to images and labels.
#include "datasets/labelled_images.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "arrays/diagnostic.hpp"
#include "datasets/idx.hpp"
#include "datasets/mat.hpp"

namespace datasets {
namespace {

using arrays::quoted;
using arrays::refuse;

const char* const kGetAgain = "get the file again";
constexpr uint64_t kLargestMat = uint64_t{1}
                                 << 32;  // unpacked; the largest file of SVHN has 1.6 GB

void check_label(int64_t label, int64_t classes, uint64_t i, const std::string& path) {
  if (label < 0 || label >= classes)
    refuse(path + ": image " + std::to_string(i), "the label " + std::to_string(label),
           "0 to " + std::to_string(classes - 1), kGetAgain);
}

}  // namespace

void LabelledImages::copy_image(uint64_t i, bool planes, uint8_t* to) const {
  const ImagePart* part = parts.data();
  for (; i >= part->count; ++part) i -= part->count;
  const auto& [image, row, column, channel] = part->strides;
  const char* const from = part->pixels.data() + i * image;
  const uint64_t h = uint64_t(height), w = uint64_t(width), c = uint64_t(channels);
  const bool has_planes = c == 1 || channel == h * w;
  const bool has_pixels = c == 1 || (channel == 1 && column == c);
  if (row == w * column && (planes ? has_planes && column == 1 : has_pixels && column == c)) {
    std::memcpy(to, from, image_bytes());
    return;
  }
  const uint64_t to_channel = planes ? h * w : 1, to_pixel = planes ? 1 : c;
  for (uint64_t k = 0; k < c; ++k)
    for (uint64_t y = 0; y < h; ++y)
      for (uint64_t x = 0; x < w; ++x)
        to[k * to_channel + (y * w + x) * to_pixel] =
            static_cast<uint8_t>(from[k * channel + y * row + x * column]);
}

LabelledImages parse_mnist(std::string_view images, const std::string& images_path,
                           std::string_view labels, const std::string& labels_path) {
  const Idx pixels = parse_idx(images, 3, images_path);
  const Idx classes = parse_idx(labels, 1, labels_path);
  if (classes.shape[0] != pixels.shape[0])
    refuse(labels_path, std::to_string(classes.shape[0]) + " labels",
           std::to_string(pixels.shape[0]) + " as " + images_path + " has images", kGetAgain);
  LabelledImages made{pixels.shape[1], pixels.shape[2], 1, {}, {}};
  const uint64_t width = uint64_t(made.width);
  made.parts.push_back({pixels.data, uint64_t(pixels.shape[0]), {made.image_bytes(), width, 1, 1}});
  for (const char label : classes.data) {
    check_label(static_cast<uint8_t>(label), 10, made.labels.size(), labels_path);
    made.labels.push_back(static_cast<uint8_t>(label));
  }
  return made;
}

void add_cifar(LabelledImages& images, std::string_view bytes, size_t label_bytes, bool coarse,
               int64_t classes, const std::string& path) {
  constexpr uint64_t kSide = 32, kPlane = kSide * kSide, kPixels = 3 * kPlane;
  images.height = images.width = int64_t{kSide};
  images.channels = 3;
  const uint64_t record = label_bytes + kPixels, count = bytes.size() / record;
  if (count == 0 || bytes.size() % record != 0)
    refuse(path, std::to_string(bytes.size()) + " bytes",
           "records of " + std::to_string(record) + " bytes", kGetAgain);
  const uint64_t place = coarse ? 0 : label_bytes - 1;
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t label = static_cast<uint8_t>(bytes[i * record + place]);
    check_label(label, classes, i, path);
    images.labels.push_back(label);
  }
  images.parts.push_back({bytes.substr(label_bytes), count, {record, kSide, 1, kPlane}});
}

LabelledImages parse_svhn(std::string_view bytes, const std::string& path) {
  const std::vector<MatArray> arrays = parse_mat(bytes, kLargestMat, path);
  const auto named = [&](const char* name) -> const MatArray& {
    for (const MatArray& array : arrays)
      if (array.name == name && !array.data.empty()) return array;
    refuse(path, "no array " + quoted(name), "the arrays X and y of the cropped digits",
           "name a file such as train_32x32.mat");
  };
  const MatArray& pixels = named("X");
  const MatArray& digits = named("y");
  if (!pixels.is_bytes() || pixels.shape.size() != 4)
    refuse(path + ": X", std::to_string(pixels.shape.size()) + " dimensions",
           "bytes in four: rows, columns, channels, images", kGetAgain);
  const uint64_t count = uint64_t(pixels.shape[3]);
  if (digits.count() != count)
    refuse(path + ": y", std::to_string(digits.count()) + " labels",
           std::to_string(count) + " as X has images", kGetAgain);
  LabelledImages made{pixels.shape[0], pixels.shape[1], pixels.shape[2], {}, {}};
  const uint64_t height = uint64_t(made.height);
  // The first dimension runs fastest.
  made.parts.push_back(
      {pixels.data, count, {made.image_bytes(), 1, height, height * uint64_t(made.width)}});
  for (uint64_t i = 0; i < count; ++i) {
    // Zero is written as 10.
    const double digit = digits.number(i);
    if (!(digit >= 0 && digit <= 10))
      refuse(path + ": y, image " + std::to_string(i), std::to_string(digit), "0 to 10", kGetAgain);
    made.labels.push_back(int64_t(digit) % 10);
  }
  made.buffers.push_back(pixels.unpacked);
  return made;
}

LabelledImages parse_digits(std::string_view bytes, bool test, const std::string& path) {
  constexpr size_t kPixels = 64;
  auto pixels = std::make_shared<std::string>();
  LabelledImages made{8, 8, 1, {}, {}};
  for (uint64_t line = 1; !bytes.empty(); ++line) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const char* at = bytes.data();
    const char* const stop = at + end;
    std::string row;
    for (size_t cell = 0; cell <= kPixels; ++cell) {
      unsigned value = 0;
      const auto [rest, error] = std::from_chars(at, stop, value);
      const bool ends =
          cell == kPixels ? rest == stop || *rest == '\r' : rest != stop && *rest == ',';
      if (error != std::errc() || !ends || value > (cell == kPixels ? 9 : 16))
        refuse(path + ": line " + std::to_string(line) + ", column " + std::to_string(cell + 1),
               quoted({at, size_t(std::min(stop, at + 12) - at)}),
               "64 numbers from 0 to 16 and a digit, with commas", kGetAgain);
      row += char(value);
      at = rest + (cell < kPixels);
    }
    if ((line % 5 == 0) == test) {
      pixels->append(row, 0, kPixels);
      made.labels.push_back(row[kPixels]);
    }
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  if (made.labels.empty()) refuse(path, "no lines for this split", "at least five", kGetAgain);
  made.parts.push_back({*pixels, made.labels.size(), {kPixels, 8, 1, 1}});
  made.buffers.push_back(std::move(pixels));
  return made;
}

}  // namespace datasets
