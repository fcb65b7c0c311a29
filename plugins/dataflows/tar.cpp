// tar.cpp: data points from tar files, which WebDataset calls shards.
#include <algorithm>
#include <broch/broch.hpp>

#include "containers/decode.hpp"
#include "containers/put.hpp"
#include "containers/shards.hpp"
#include "containers/tar_index.hpp"

namespace {

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> components, names, integers, floats;
  std::optional<std::string> index_folder;

  static constexpr auto schema = broch::options(
      broch::option(
          "files", &Options::files,
          "Uncompressed .tar files; {000..146} stands for the numbers, * for any characters.")
          .min_items(1)
          .is_path(),
      broch::option("components", &Options::components,
                    "Extensions of the files of a data point that become components, in this "
                    "order; \"jpg;png\" stands for the first of the two that exists.")
          .min_items(1)
          .min_length(1),
      broch::option(
          "names", &Options::names,
          "Names of the components; []: they are matched with the model's inputs by order.")
          .by_default(),
      broch::option(
          "integers", &Options::integers,
          "Extensions of files that contain a decimal integer, read as int64 without dimensions.")
          .by_default("cls", "cls2", "class", "count", "index", "id"),
      broch::option(
          "floats", &Options::floats,
          "Extensions of files that contain a number, read as float32 without dimensions.")
          .by_default(),
      broch::option("index_folder", &Options::index_folder,
                    "The folder for the index files; null: each is next to its data file.")
          .is_path());
};

class Tar final : public broch::Indexed {
 public:
  Tar(const broch::Host& host, const Options& options) : host_(host), options_(options) {
    containers::check_names(options.names, options.components.size());
  }

  void reset_state() override {
    static constexpr containers::ShardFormat<containers::TarIndex> kFormat = {
        "tar", containers::index_tar, containers::text_of, containers::parse_tar_index,
        [](const containers::TarIndex& index) { return index.samples(); }};
    shards_.emplace(host_, options_.files, options_.index_folder.value_or(""), kFormat);
  }

  std::optional<int64_t> size() override { return int64_t(shards_->size()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= shards_->size()) return false;
    const auto [file, index, sample] = shards_->at(position.index);
    for (size_t i = 0; i < options_.components.size(); ++i) put(*file, index, sample, i, point);
    return true;
  }

 private:
  void put(const broch::archive::File& file, const containers::TarIndex& index, uint64_t sample,
           size_t component, broch::PointWriter& point) const {
    const auto& entry =
        containers::entry_of(index, sample, options_.components[component], file.name());
    const std::string name = containers::name_at(options_.names, component);
    const containers::Meaning meaning = meaning_of(index.extensions[entry.extension]);
    if (meaning == containers::Meaning::bytes) {  // straight into the point
      auto* const to =
          point.allocate<uint8_t>({int64_t(entry.size)}, name.empty() ? nullptr : name.c_str());
      file.read(entry.offset, to, entry.size);
      return;
    }
    const std::string bytes = file.read(entry.offset, entry.size);
    containers::put(
        point,
        containers::decode(bytes, meaning, file.name() + ": byte " + std::to_string(entry.offset)),
        name);
  }

  containers::Meaning meaning_of(const std::string& extension) const {
    const auto is_in = [&extension](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), extension) != list.end();
    };
    if (is_in(options_.integers)) return containers::Meaning::integer;
    if (is_in(options_.floats)) return containers::Meaning::real;
    const bool is_npy = extension == "npy" || extension.ends_with(".npy");
    return is_npy ? containers::Meaning::npy : containers::Meaning::bytes;
  }

  broch::Host host_;
  Options options_;
  std::optional<containers::Shards<containers::TarIndex>> shards_;
};

}  // namespace

BROCH_DATAFLOW(Tar, "broch.dataflow.tar", "1.0.0",
               "Yields the data points of tar files (WebDataset shards).", Options::schema)
