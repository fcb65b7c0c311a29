// labelled_images.cpp: well-known datasets of small images, from their official files.
// tensorpack: `dataset.Mnist`, `FashionMnist`, `Cifar10`, `Cifar100`, `SVHNDigit`.
#include "datasets/labelled_images.hpp"

#include <broch/broch.hpp>

namespace {

using datasets::LabelledImages;
using datasets::Place;

struct Options {
  std::string split;
  std::optional<std::string> folder;
  bool verify, planes, coarse = false;
  std::optional<std::array<std::string, 2>> names;

  static constexpr auto kSplit =
      broch::option("split", &Options::split, "Which part of the dataset to yield.");
  static constexpr auto kCommon = broch::options(
      broch::option("folder", &Options::folder,
                    "The folder with the files; null: the folder with the name of the dataset in "
                    "~/.cache/broch/datasets.")
          .min_length(1)
          .is_path(),
      broch::option("verify", &Options::verify,
                    "Whether to compare the checksums of the official files at the start.")
          .by_default(true),
      broch::option("planes", &Options::planes,
                    "false: images of shape (height, width, channels); true: (channels, height, "
                    "width), as convolutions need them.")
          .by_default(false),
      broch::option("names", &Options::names,
                    "Names of the two components, for example [\"image\", \"label\"]; null: they "
                    "are matched with the model's inputs by order."));
  static constexpr auto kTrainOrTest = kSplit.one_of("train", "test").by_default("train");

  static constexpr auto plain = broch::options(kTrainOrTest, kCommon);
  static constexpr auto svhn =
      broch::options(kSplit.one_of("train", "test", "extra").by_default("train"), kCommon);
  // Has every option, so it says how to read them.
  static constexpr auto schema = broch::options(
      kTrainOrTest,
      broch::option("coarse", &Options::coarse,
                    "true: the label is one of the 20 superclasses; false: one of the 100 classes.")
          .by_default(false)
          .may_be_absent(),
      kCommon);
};

class Images : public broch::Indexed {
 public:
  std::optional<int64_t> size() override { return int64_t(images_.count()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= images_.count()) return false;
    const int64_t h = images_.height, w = images_.width, c = images_.channels;
    uint8_t* const pixels = options_.planes ? point.allocate<uint8_t>({c, h, w}, name(0))
                                            : point.allocate<uint8_t>({h, w, c}, name(0));
    images_.copy_image(position.index, options_.planes, pixels);
    *point.allocate<int64_t>({}, name(1)) = images_.labels[position.index];
    return true;
  }

 protected:
  explicit Images(const Options& options) : options_(options) {}
  const Options& options() const { return options_; }
  Place place(const char* dataset) const {
    return Place(dataset, options_.folder.value_or(""), options_.verify);
  }

  LabelledImages images_;

 private:
  const char* name(size_t i) const {
    return options_.names ? (*options_.names)[i].c_str() : nullptr;
  }

  Options options_;
};

class Mnist final : public Images {
 public:
  explicit Mnist(const Options& options) : Images(options) {}
  void reset_state() override { images_ = read_mnist(place("mnist"), options().split); }
};

class FashionMnist final : public Images {
 public:
  explicit FashionMnist(const Options& options) : Images(options) {}
  void reset_state() override { images_ = read_mnist(place("fashion-mnist"), options().split); }
};

class Cifar10 final : public Images {
 public:
  explicit Cifar10(const Options& options) : Images(options) {}
  void reset_state() override { images_ = read_cifar10(place("cifar10"), options().split); }
};

class Cifar100 final : public Images {
 public:
  explicit Cifar100(const Options& options) : Images(options) {}
  void reset_state() override {
    images_ = read_cifar100(place("cifar100"), options().split, options().coarse);
  }
};

class Svhn final : public Images {
 public:
  explicit Svhn(const Options& options) : Images(options) {}
  void reset_state() override { images_ = read_svhn(place("svhn"), options().split); }
};

class Digits final : public Images {
 public:
  explicit Digits(const Options& options) : Images(options) {}
  void reset_state() override { images_ = read_digits(place("digits"), options().split); }
};

}  // namespace

BROCH_COMPONENTS(
    broch::component<Mnist>("broch.dataflow.mnist", "dataflow", "1.0.0",
                            "Yields the handwritten digits of MNIST and their classes.",
                            Options::plain),
    broch::component<FashionMnist>("broch.dataflow.fashion-mnist", "dataflow", "1.0.0",
                                   "Yields the images of Fashion-MNIST and their classes.",
                                   Options::plain),
    broch::component<Cifar10>("broch.dataflow.cifar10", "dataflow", "1.0.0",
                              "Yields the images of CIFAR-10 and their classes.", Options::plain),
    broch::component<Cifar100>("broch.dataflow.cifar100", "dataflow", "1.0.0",
                               "Yields the images of CIFAR-100 and their classes.",
                               Options::schema),
    broch::component<Svhn>("broch.dataflow.svhn", "dataflow", "1.0.0",
                           "Yields the cropped house numbers of SVHN and their digits.",
                           Options::svhn),
    broch::component<Digits>("broch.dataflow.digits", "dataflow", "1.0.0",
                             "Yields handwritten digits of 8x8 pixels and their classes; every "
                             "fifth belongs to the test.",
                             Options::plain))
