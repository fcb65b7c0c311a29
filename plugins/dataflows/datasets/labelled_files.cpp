// labelled_files.cpp: the files of each dataset.
#include <algorithm>
#include <archive/inflate.hpp>

#include "datasets/labelled_images.hpp"

namespace datasets {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 30;  // unpacked; MNIST has 47 MB

// The bytes of a file that may be packed, kept by images.
std::string_view content(LabelledImages& images, Place::Found found) {
  if (broch::archive::is_gzip(found.file.bytes())) {
    images.buffers.push_back(std::make_shared<const std::string>(broch::archive::inflate(
        found.file.bytes(), broch::archive::Wrapping::gzip, kLargest, found.path)));
    return *images.buffers.back();
  }
  images.files.push_back(std::move(found.file));
  return images.files.back().bytes();
}

// Both made and kept keep memory of others.
LabelledImages with(LabelledImages made, LabelledImages kept) {
  std::move(kept.files.begin(), kept.files.end(), std::back_inserter(made.files));
  std::move(kept.buffers.begin(), kept.buffers.end(), std::back_inserter(made.buffers));
  return made;
}

Place::Found open_cifar(const Place& place, const std::string& folder, const std::string& name) {
  return place.open({folder + "/" + name, name});
}

}  // namespace

LabelledImages read_mnist(const Place& place, const std::string& split) {
  const std::string start = split == "test" ? "t10k" : split;
  const auto open = [&](const std::string& name) { return place.open({name + ".gz", name}); };
  LabelledImages kept;
  Place::Found images = open(start + "-images-idx3-ubyte");
  Place::Found labels = open(start + "-labels-idx1-ubyte");
  const std::string images_path = images.path, labels_path = labels.path;
  const std::string_view pixels = content(kept, std::move(images));
  const std::string_view classes = content(kept, std::move(labels));
  return with(parse_mnist(pixels, images_path, classes, labels_path), std::move(kept));
}

LabelledImages read_cifar10(const Place& place, const std::string& split) {
  std::vector<std::string> names{"test_batch.bin"};
  if (split == "train") {
    names.clear();
    for (const char number : {'1', '2', '3', '4', '5'})
      names.push_back(std::string("data_batch_") + number + ".bin");
  }
  LabelledImages images;
  for (const std::string& name : names) {
    Place::Found found = open_cifar(place, "cifar-10-batches-bin", name);
    add_cifar(images, found.file.bytes(), 1, false, 10, found.path);
    images.files.push_back(std::move(found.file));
  }
  return images;
}

LabelledImages read_cifar100(const Place& place, const std::string& split, bool coarse) {
  LabelledImages images;
  Place::Found found = open_cifar(place, "cifar-100-binary", split + ".bin");
  add_cifar(images, found.file.bytes(), 2, coarse, coarse ? 20 : 100, found.path);
  images.files.push_back(std::move(found.file));
  return images;
}

LabelledImages read_svhn(const Place& place, const std::string& split) {
  Place::Found found = place.open({split + "_32x32.mat"});
  LabelledImages images = parse_svhn(found.file.bytes(), found.path);
  // Arrays that were packed have memory of their own.
  if (!images.buffers[0]) images.files.push_back(std::move(found.file));
  return images;
}

LabelledImages read_digits(const Place& place, const std::string& split) {
  Place::Found found = place.open({"digits.csv.gz", "digits.csv"});
  const std::string path = found.path;
  LabelledImages kept;
  const std::string_view text = content(kept, std::move(found));
  return with(parse_digits(text, split == "test", path), std::move(kept));
}

}  // namespace datasets
