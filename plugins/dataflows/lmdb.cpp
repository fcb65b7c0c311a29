// lmdb.cpp: data points from a database that tensorpack's LMDBSerializer or Caffe wrote.
// tensorpack: `LMDBSerializer.load`, `CaffeLMDB`.
#include <algorithm>
#include <archive/source.hpp>
#include <broch/broch.hpp>
#include <filesystem>

#include "arrays/diagnostic.hpp"
#include "containers/datum.hpp"
#include "containers/lmdb_file.hpp"
#include "containers/put.hpp"
#include "msgpack/point.hpp"

namespace {

enum class Format { msgpack, caffe };

struct Options {
  std::string path;
  Format format;
  std::vector<std::string> components, names;

  static constexpr auto schema = broch::options(
      broch::option("path", &Options::path,
                    "The database: a file, or a folder that contains data.mdb.")
          .min_length(1)
          .is_path(),
      broch::option("format", &Options::format,
                    "What the values are. msgpack: data points of tensorpack. caffe: images and "
                    "labels of Caffe (Datum).")
          .one_of("msgpack", "caffe")
          .by_default("msgpack"),
      broch::option("components", &Options::components,
                    "For data points that are dicts: the keys to use, in this order; []: all.")
          .by_default(),
      broch::option("names", &Options::names,
                    "Names of the components; []: they are matched with the model's inputs by "
                    "order or, if the points are dicts, by key.")
          .by_default());
};

class Lmdb final : public broch::Indexed {
 public:
  explicit Lmdb(const Options& options) : options_(options) {
    if (options.format == Format::caffe && !options.components.empty())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/components: found a list, expected none with the format caffe: its "
                         "components are the image and the label");
    if (!options.components.empty())
      containers::check_names(options.names, options.components.size());
  }

  void reset_state() override {
    std::error_code unknown;  // then no file can be opened there, and the message says why
    const bool is_folder = std::filesystem::is_directory(options_.path, unknown);
    file_.emplace(is_folder ? options_.path + "/data.mdb" : options_.path);
    database_.emplace(*file_);
    if (const auto list = database_->find(kListOfKeys))
      keys_ = msgpack::parse_keys(file_->read(list->offset, list->size), place(kListOfKeys));
    else
      database_->each_key([this](std::string_view key) { keys_.emplace_back(key); });
  }

  std::optional<int64_t> size() override { return int64_t(keys_.size()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= keys_.size()) return false;
    const std::string& key = keys_[position.index];
    const auto value = database_->find(key);
    if (!value)
      arrays::refuse(place(key), "no value", "one, since the list of keys names it",
                     "write the database again");
    const std::string bytes = file_->read(value->offset, value->size);
    const auto found = options_.format == Format::caffe
                           ? containers::parse_datum(bytes, place(key))
                           : chosen(msgpack::parse_point(bytes, place(key)), place(key));
    if (!options_.names.empty() && options_.names.size() != found.size())
      arrays::refuse(place(key), std::to_string(found.size()) + " components",
                     std::to_string(options_.names.size()), "correct the option names");
    for (size_t i = 0; i < found.size(); ++i)
      containers::put(point, found[i].component,
                      options_.names.empty() ? found[i].name : options_.names[i]);
    return true;
  }

 private:
  static constexpr const char* kListOfKeys = "__keys__";

  std::string place(const std::string& key) const {
    return file_->name() + ": key " + arrays::quoted(key);
  }

  std::vector<containers::Named> chosen(std::vector<containers::Named> all,
                                        const std::string& place) const {
    if (options_.components.empty()) return all;
    std::vector<containers::Named> list;
    for (const std::string& name : options_.components) {
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&name](const auto& one) { return one.name == name; });
      if (found == all.end())
        arrays::refuse(place, "no component " + arrays::quoted(name), "a dict with this key",
                       "correct the option components");
      list.push_back(*found);
    }
    return list;
  }

  Options options_;
  std::optional<broch::archive::File> file_;
  std::optional<containers::LmdbFile> database_;
  std::vector<std::string> keys_;
};

}  // namespace

BROCH_DATAFLOW(Lmdb, "broch.dataflow.lmdb", "1.1.0",
               "Yields the data points of an LMDB database of tensorpack or Caffe.",
               Options::schema)
