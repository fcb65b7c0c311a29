// image_folder.cpp: the files of a folder with one folder per class, as they are on disk.
// torchvision: `ImageFolder`, without decoding. tensorpack: the files of `ILSVRC12Files`.
#include <strings.h>

#include <algorithm>
#include <archive/refuse.hpp>
#include <archive/source.hpp>
#include <broch/broch.hpp>
#include <filesystem>

#include "files/folder_index.hpp"

namespace {

// Those of torchvision. The transform decode-image decodes the first four.
const std::vector<std::string> kImages = {".jpg", ".jpeg", ".png", ".webp", ".ppm",
                                          ".bmp", ".pgm",  ".tif", ".tiff"};
constexpr size_t kDecoded = 4;

struct Options {
  std::string folder;
  std::optional<std::string> list, index;
  std::optional<std::vector<std::string>> classes, extensions;
  bool use_index;
  std::optional<std::array<std::string, 2>> names;

  static constexpr auto schema = broch::options(
      broch::option("folder", &Options::folder,
                    "The folder that contains one folder per class. With list: the folder to which "
                    "its paths are relative.")
          .min_length(1)
          .is_path(),
      broch::option("list", &Options::list,
                    "A text file with lines PATH LABEL; null: the label is the index of the class "
                    "in classes.")
          .min_length(1)
          .is_path(),
      broch::option("classes", &Options::classes,
                    "The names of the folders in the order of their labels, the same for training "
                    "and test data; null: those there are, sorted. Another folder is an error; "
                    "a class may have no folder.")
          .min_items(1)
          .min_length(1),
      broch::option("extensions", &Options::extensions,
                    "The extensions of the files to use, upper or lower case; []: any; null: .jpg "
                    ".jpeg .png .webp, and a file that ends in .ppm .bmp .pgm .tif or .tiff is an "
                    "error. Not used with list."),
      broch::option("use_index", &Options::use_index,
                    "Whether to save the list of files in an index file, which is written again "
                    "when a folder has changed.")
          .by_default(true),
      broch::option("index", &Options::index,
                    "The index file; null: next to the folder, with the extension .broch-index.")
          .min_length(1)
          .is_path(),
      broch::option("names", &Options::names,
                    "Names of the two components, for example [\"image\", \"label\"]; null: they "
                    "are matched with the model's inputs by order."));
};

class ImageFolder final : public broch::Indexed {
 public:
  ImageFolder(const broch::Host& host, const Options& options) : host_(host), options_(options) {
    if (options.classes) require_classes(*options.classes);
  }

  void reset_state() override {
    if (options_.list) {
      files_ = files::FolderIndex::of_list(*options_.list);
      return;
    }
    // Without a slash at its end, since the index lies beside the folder.
    std::string folder = options_.folder;
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    list_files(folder);
    tell_classes(folder);
  }

  std::optional<int64_t> size() override { return int64_t(files_.size()); }

  std::string describe(uint64_t index) override {
    if (index >= files_.size()) return "";
    return (std::filesystem::path(options_.folder) / files_.path(index)).string();
  }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= files_.size()) return false;
    const std::filesystem::path relative = files_.path(position.index);
    const broch::archive::File file((std::filesystem::path(options_.folder) / relative).string(),
                                    ", image " + std::to_string(position.index));
    if (file.size() == 0)
      throw broch::Error(
          BROCH_E_DATA_LOSS,
          file.name() + ": found an empty file, expected an image; remove or replace it");
    file.read(0, point.allocate<uint8_t>({int64_t(file.size())}, name(0)), file.size());
    *point.allocate<int64_t>({}, name(1)) = files_.label(position.index);
    return true;
  }

 private:
  const char* name(size_t i) const {
    return options_.names ? (*options_.names)[i].c_str() : nullptr;
  }

  void require_classes(const std::vector<std::string>& classes) const {
    if (options_.list)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/classes: found a list, expected null with the option list, whose lines "
                         "have numbers as labels; remove one of both");
    for (auto at = classes.begin(); at != classes.end(); ++at)
      if (std::find(classes.begin(), at, *at) != at)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           "/classes: found '" + *at +
                               "' once more, expected each class once; "
                               "remove it, since the label of a class is its place");
  }

  void list_files(const std::string& folder) {
    const std::vector<std::string> extensions = options_.extensions.value_or(kImages);
    const std::vector<std::string> classes = options_.classes.value_or(std::vector<std::string>());
    const std::string index = options_.index.value_or(folder + ".broch-index");
    if (options_.use_index && files_.load(index, folder, extensions, classes)) return;
    files_ = files::FolderIndex::scan(folder, extensions, classes);
    if (!options_.extensions) require_decodable();
    // A folder that cannot be written to is no reason to stop: the next start lists it again.
    if (options_.use_index) files_.save(index, folder, extensions);
  }

  // Two folders of one training may have other classes, which nothing else would show.
  void tell_classes(const std::string& folder) const {
    std::vector<std::string> lines;
    for (size_t i = 0; i < files_.classes().size(); ++i)
      lines.push_back(std::to_string(i) + " " + files_.classes()[i]);
    host_.info("labels of " + folder + ": " + files::listed(lines));
    const std::vector<std::string> empty = files_.classes_without_files();
    if (!empty.empty()) host_.info("no files in " + folder + " for: " + files::listed(empty));
  }

  // An image that is left out would go unnoticed, and one that cannot be decoded would end the
  // training somewhere in an epoch.
  void require_decodable() {
    for (uint64_t i = 0; i < files_.size(); ++i) {
      const std::string extension = std::filesystem::path(files_.path(i)).extension().string();
      if (std::none_of(kImages.begin(), kImages.begin() + kDecoded, [&](const std::string& one) {
            return strcasecmp(one.c_str(), extension.c_str()) == 0;
          }))
        broch::archive::refuse(describe(i), "an image in a format that decode-image does not know",
                               "one that ends in .jpg, .jpeg, .png or .webp",
                               "convert it, or set extensions to those that are to be used");
    }
  }

  broch::Host host_;
  Options options_;
  files::FolderIndex files_;
};

}  // namespace

BROCH_DATAFLOW(ImageFolder, "broch.dataflow.image-folder", "1.0.0",
               "Yields the bytes of each file below a folder, and the number of its class.",
               Options::schema)
