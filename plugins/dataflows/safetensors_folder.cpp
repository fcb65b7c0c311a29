// safetensors_folder.cpp: one data point per .safetensors file of a folder, for samples that were
// computed before, such as features or latents.
#include <algorithm>
#include <broch/broch.hpp>
#include <filesystem>

#include "../points/stored_dtype.hpp"
#include "store/safetensors.hpp"

namespace {

namespace fs = std::filesystem;
namespace store = broch::store;

struct Options {
  std::string folder;
  std::optional<std::vector<std::string>> tensors;
  bool named;

  static constexpr auto schema = broch::options(
      broch::option("folder", &Options::folder,
                    "The folder; each .safetensors file in it is a point. They come in the order "
                    "of their names.")
          .min_length(1)
          .is_path(),
      broch::option("tensors", &Options::tensors,
                    "Names of the tensors that become components, in this order; null: all, in the "
                    "order of their names.")
          .min_items(1),
      broch::option("named", &Options::named,
                    "true: tensors are matched with the model's inputs by name; false: by order.")
          .by_default(true));
};

class SafetensorsFolder final : public broch::Indexed {
 public:
  explicit SafetensorsFolder(const Options& options) : options_(options) {}

  void reset_state() override {
    std::error_code error;
    fs::directory_iterator at(options_.folder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error))
      if (at->path().extension() == ".safetensors") files_.push_back(at->path().string());
    std::sort(files_.begin(), files_.end());
    if (error || files_.empty())
      throw broch::Error(BROCH_E_DATA_LOSS, options_.folder + ": found " +
                                                (error ? error.message() : "no such file") +
                                                ", expected files that end in .safetensors; "
                                                "correct the option folder");
  }

  std::optional<int64_t> size() override { return int64_t(files_.size()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= files_.size()) return false;
    const std::string& path = files_[position.index];
    const store::SafetensorsFile file = open(path, position.index);
    for (const store::TensorView* tensor : tensors_of(file, path)) {
      const broch_dtype dtype = broch::points::dtype_of(tensor->dtype, path + ": " + tensor->name);
      void* const to =
          point.allocate(broch::dl_type(dtype), tensor->shape.data(), tensor->shape.size(),
                         options_.named ? tensor->name.c_str() : nullptr);
      std::copy(tensor->bytes.begin(), tensor->bytes.end(), static_cast<std::byte*>(to));
    }
    return true;
  }

 private:
  static store::SafetensorsFile open(const std::string& path, uint64_t index) {
    try {
      return store::SafetensorsFile::read(path);
    } catch (const std::exception& error) {
      throw broch::Error(BROCH_E_DATA_LOSS,
                         "point " + std::to_string(index) + ": " + std::string(error.what()));
    }
  }

  std::vector<const store::TensorView*> tensors_of(const store::SafetensorsFile& file,
                                                   const std::string& path) const {
    std::vector<const store::TensorView*> tensors;
    for (const std::string& name : file.others())
      if (!options_.tensors || std::count(options_.tensors->begin(), options_.tensors->end(), name))
        throw broch::Error(BROCH_E_DATA_LOSS,
                           path + ": found tensor '" + name + "' of a type that Broch lacks, " +
                               "expected one that it has; name the other tensors in the option "
                               "tensors");
    if (options_.tensors) {
      for (const std::string& name : *options_.tensors) {
        tensors.push_back(file.find(name));
        if (tensors.back()) continue;
        std::string known;
        for (const store::TensorView& tensor : file.tensors()) known += " '" + tensor.name + "'";
        throw broch::Error(BROCH_E_DATA_LOSS, path + ": found the tensors" + known +
                                                  ", expected '" + name +
                                                  "'; correct the option tensors");
      }
      return tensors;
    }
    for (const store::TensorView& tensor : file.tensors()) tensors.push_back(&tensor);
    std::sort(tensors.begin(), tensors.end(),
              [](const auto* a, const auto* b) { return a->name < b->name; });
    return tensors;
  }

  Options options_;
  std::vector<std::string> files_;
};

}  // namespace

BROCH_DATAFLOW(SafetensorsFolder, "broch.dataflow.safetensors-folder", "1.0.0",
               "Yields the tensors of each .safetensors file of a folder.", Options::schema)
