// tfrecord.cpp: data points from the tf.train.Example records of TensorFlow's record files.
// Unlike in tensorpack, whose `TFRecordData` has records in MessagePack.
#include "containers/tfrecord.hpp"

#include <broch/broch.hpp>

#include "containers/example.hpp"
#include "containers/put.hpp"
#include "containers/shards.hpp"

namespace {

struct ComponentOptions {
  std::string feature;
  std::optional<std::vector<int64_t>> shape;
  std::optional<std::string> dtype, name;

  static constexpr auto schema = broch::options(
      broch::option("feature", &ComponentOptions::feature, "Name of the feature.").min_length(1),
      broch::option("shape", &ComponentOptions::shape,
                    "The shape in a data point, [] for a scalar; null: a vector.")
          .minimum(1)
          .max_items(8),
      broch::option("dtype", &ComponentOptions::dtype,
                    "For a feature of type bytes: the dtype of the array that they contain, "
                    "little-endian; null: uint8. Floats are always float32, integers int64.")
          .one_of("float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8",
                  "bool"),
      broch::option("name", &ComponentOptions::name, "Name of the model's input."));
};

struct Options {
  std::vector<std::string> files;
  std::vector<ComponentOptions> components;
  std::optional<std::string> index_folder;

  static constexpr auto schema = broch::options(
      broch::option(
          "files", &Options::files,
          "Uncompressed TFRecord files; {000..146} stands for the numbers, * for any characters.")
          .min_items(1)
          .is_path(),
      broch::option("components", &Options::components, "In the order of the model's inputs.")
          .min_items(1),
      broch::option("index_folder", &Options::index_folder,
                    "The folder for the index files; null: each is next to its data file.")
          .is_path());
};

broch_dl_type type_named(const std::string& name) {
  for (broch_dtype dtype = BROCH_FLOAT32; dtype <= BROCH_BOOL; ++dtype)
    if (broch::dtype_name(dtype) == name) return broch::dl_type(dtype);
  throw broch::Error(BROCH_E_INVALID_ARGUMENT, "unknown dtype '" + name + "'");
}

class Tfrecord final : public broch::Indexed {
 public:
  Tfrecord(const broch::Host& host, const Options& options)
      : host_(host), paths_(options.files), folder_(options.index_folder.value_or("")) {
    for (const ComponentOptions& component : options.components) {
      features_.push_back({component.feature, component.shape, {}});
      if (component.dtype) features_.back().type = type_named(*component.dtype);
      names_.push_back(component.name.value_or(""));
    }
  }

  void reset_state() override {
    static constexpr containers::ShardFormat<Offsets> kFormat = {
        "tfrecord", containers::index_tfrecord, containers::text_of,
        containers::parse_tfrecord_index,
        [](const Offsets& offsets) { return uint64_t(offsets.size() - 1); }};
    files_.emplace(host_, paths_, folder_, kFormat);
  }

  std::optional<int64_t> size() override { return int64_t(files_->size()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= files_->size()) return false;
    const auto [file, offsets, record] = files_->at(position.index);
    const uint64_t begin = offsets[record];
    const std::string bytes = containers::read_record(*file, begin, offsets[record + 1]);
    const std::string place = file->name() + ": byte " + std::to_string(begin);
    const auto found = containers::parse_example(bytes, features_, place);
    for (size_t i = 0; i < found.size(); ++i)
      containers::put(point, containers::component_of(found[i], features_[i], place), names_[i]);
    return true;
  }

 private:
  using Offsets = std::vector<uint64_t>;

  broch::Host host_;
  std::vector<std::string> paths_;
  std::string folder_;
  std::vector<containers::FeatureOptions> features_;
  std::vector<std::string> names_;
  std::optional<containers::Shards<Offsets>> files_;
};

}  // namespace

BROCH_DATAFLOW(Tfrecord, "broch.dataflow.tfrecord", "1.0.0",
               "Yields the tf.train.Example records of TFRecord files.", Options::schema)
