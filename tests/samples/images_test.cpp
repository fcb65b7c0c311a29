// images_test.cpp: samples/cifar10-resnet and samples/fashion-mnist on generated images: each
// learns, and says what is missing where there are none.
#include <doctest/doctest.h>

#include <filesystem>
#include <random>

#include "cli_harness/cli_harness.hpp"

using broch::cli_harness::count;
using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;

namespace {

constexpr int kImages = 320;

// Noise, dark in class 0 and bright in class 1.
std::string image(int label, int side, std::minstd_rand& random) {
  std::string pixels;
  for (int i = 0; i < side * side; ++i) pixels += char(160 * label + int(random() % 80));
  return pixels;
}

std::string big_endian(uint32_t number) {
  return {char(number >> 24), char(number >> 16), char(number >> 8), char(number)};
}

// An idx file of bytes.
std::string idx(const std::vector<uint32_t>& shape, const std::string& bytes) {
  std::string file{0, 0, 8, char(shape.size())};
  for (const uint32_t extent : shape) file += big_endian(extent);
  return file + bytes;
}

void write_fashion(const Folder& folder) {
  std::minstd_rand random(1);
  for (const std::string split : {"train", "t10k"}) {
    std::string images, labels;
    for (int i = 0; i < kImages; ++i) {
      images += image(i % 2, 28, random);
      labels += char(i % 2);
    }
    folder.write("data/" + split + "-images-idx3-ubyte", idx({kImages, 28, 28}, images));
    folder.write("data/" + split + "-labels-idx1-ubyte", idx({kImages}, labels));
  }
}

void write_cifar(const Folder& folder) {
  std::minstd_rand random(1);
  for (const std::string file : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                                 "data_batch_5", "test_batch"}) {
    std::string records;
    for (int i = 0; i < kImages / 5; ++i) {
      records += char(i % 2);
      for (int channel = 0; channel < 3; ++channel) records += image(i % 2, 32, random);
    }
    folder.write("data/cifar-10-batches-bin/" + file + ".bin", records);
  }
}

struct Sample {
  std::string manifest;
  std::vector<std::string> plugins;
};
const Sample kConvnet{"fashion-mnist/convnet.json", {FASHION}};
const Sample kFashionResnet{"fashion-mnist/resnet.json", {}};
const Sample kCifarResnet{
    "cifar10-resnet/resnet.json",
    {CIFAR_FOLDER "/cifar10_resnet.so", CIFAR_FOLDER "/cifar10_mean_image.so"}};

Json manifest_of(const Sample& sample, const Json& folder) {
  return {{"broch", 1},
          {"extends", SAMPLES "/" + sample.manifest},
          {"plugins", sample.plugins},
          {"vars", {{"folder", folder}}}};
}

double last(const Training& training, const char* metric) {
  return training.stats().back().at(metric);
}

}  // namespace

TEST_CASE("fashion-mnist: both networks learn from augmented images") {
  const Folder folder;
  write_fashion(folder);
  for (const Sample& sample : {kConvnet, kFashionResnet}) {
    CAPTURE(sample.manifest);
    Json manifest = manifest_of(sample, folder / "data");
    manifest["vars"]["verify"] = false;
    manifest["model"] = {{"with", {{"width", 8}}}};
    manifest["steps_per_epoch"] = 10;
    manifest["max_epoch"] = 2;
    const Training training(folder, std::filesystem::path(sample.manifest).stem(), manifest);
    const int code = training.run({"data.with.dataflow.with.batch_size=16"});
    INFO(training.talk());
    REQUIRE(code == 0);
    CHECK(last(training, "global_step") == 20);
    CHECK(last(training, "test_error") < 0.2);
  }
}

TEST_CASE("cifar10-resnet: it has as many parameters as the layers that the papers name") {
  const Folder folder;
  write_cifar(folder);
  for (const auto& [blocks, parameters] :
       {std::pair{3, "269722"}, std::pair{5, "464154"}, std::pair{18, "1727962"}}) {
    CAPTURE(blocks);
    Json manifest = manifest_of(kCifarResnet, folder / "data");
    manifest["model"] = {{"with", {{"blocks", blocks}}}};
    const Training training(folder, parameters, manifest);
    CHECK(Training::wait(training.start({}, {}, "plan")) == 0);
    const std::string talk = training.talk();
    CAPTURE(talk);
    CHECK(count(talk, std::string("Number of parameters (elements): ") + parameters) >= 1);
  }
}

TEST_CASE("cifar10-resnet: it learns from augmented images") {
  const Folder folder;
  write_cifar(folder);
  Json manifest = manifest_of(kCifarResnet, folder / "data");
  manifest["model"] = {{"with", {{"blocks", 1}}}};
  manifest["steps_per_epoch"] = 10;
  manifest["max_epoch"] = 2;
  const Training training(folder, "run", manifest);
  const int code = training.run({"data.with.dataflow.with.batch_size=16"});
  INFO(training.talk());
  REQUIRE(code == 0);
  CHECK(last(training, "global_step") == 20);
  CHECK(last(training, "test_error") < 0.2);
}

TEST_CASE("samples: without images they say which files belong where") {
  const Folder folder;
  for (const auto& [sample, file] : {std::pair{kCifarResnet, "cifar-10-binary.tar.gz"},
                                     std::pair{kConvnet, "train-images-idx3-ubyte.gz"}}) {
    CAPTURE(sample.manifest);
    const std::string nowhere = folder / "nowhere";
    const Training training(folder, file, manifest_of(sample, nowhere));
    const int code = training.run();
    const std::string talk = training.talk();
    CAPTURE(talk);
    CHECK(code == 5);
    for (const std::string& part : {std::string(file), nowhere, std::string("broch data download")})
      CHECK(count(talk, part) >= 1);
  }
}
