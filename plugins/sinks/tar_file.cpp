// tar_file.cpp: shards for WebDataset and the dataflow tar: the files of a point follow each other
// and have the same name up to the first dot.
#include <algorithm>
#include <broch/broch.hpp>
#include <containers/decode.hpp>
#include <containers/tar_writer.hpp>
#include <optional>

#include "files/named.hpp"
#include "files/shards.hpp"

namespace {

struct Options {
  int64_t shard_size;
  std::vector<std::string> integers;

  static constexpr auto schema = broch::options(
      broch::option("shard_size", &Options::shard_size,
                    "Size in bytes after which a new file FILE-NUMBER.tar begins; 0: one file.")
          .minimum(0)
          .by_default(0),
      broch::option(
          "integers", &Options::integers,
          "Names of components that are written as decimal text if they are a single integer.")
          .by_default("cls", "cls2", "class", "count", "index", "id"));
};

constexpr size_t kBlock = 512;  // of a tar file

class Tar final : public broch::Sink {
 public:
  explicit Tar(const Options& options) : options_(options) {}

  void open(const std::string& path) override { shards_.emplace(path, options_.shard_size); }

  void put(broch::PointReader& point) override {
    char key[24];
    std::snprintf(key, sizeof key, "%09llu", static_cast<unsigned long long>(points_++));
    std::vector<std::pair<std::string, std::string>> made;
    size_t bytes = 0;
    const std::vector<containers::Named> all = files::named_of(point);
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string name = all[i].name.empty() ? std::to_string(i) : all[i].name;
      if (name.find('/') != std::string::npos)
        throw broch::Error(BROCH_E_DATA_LOSS, "found a component named " + name +
                                                  ", expected a name without a slash: it becomes "
                                                  "the name of a file");
      made.push_back(file_of(key, name, all[i].component));
      bytes += kBlock + (made.back().second.size() + kBlock - 1) / kBlock * kBlock;
    }
    if (shards_->needs_next(bytes)) begin();
    for (const auto& [name, content] : made) writer_->add(name, content);
  }

  void close() override { writer_->finish(); }

 private:
  // A vector of bytes is a file as it was, such as a JPEG image; the rest become .npy files.
  std::pair<std::string, std::string> file_of(const std::string& key, const std::string& name,
                                              const containers::Component& component) const {
    const bool is_listed = std::find(options_.integers.begin(), options_.integers.end(), name) !=
                           options_.integers.end();
    const std::string file = key + "." + name, bytes(component.bytes());
    const bool is_integer = component.type.code == BROCH_DL_INT && component.type.bits == 64;
    if (is_listed && is_integer && component.shape.empty()) {
      int64_t value = 0;
      std::memcpy(&value, bytes.data(), sizeof value);
      return {file, std::to_string(value)};
    }
    const bool is_file =
        containers::same_type(component.type, containers::kUint8) && component.shape.size() == 1;
    if (is_file) return {file, bytes};
    return {file + ".npy", containers::npy_of(component)};
  }

  void begin() {
    if (writer_) writer_->finish();
    writer_.emplace(shards_->next());
  }

  Options options_;
  std::optional<files::Shards> shards_;
  std::optional<containers::TarWriter> writer_;
  uint64_t points_ = 0;
};

}  // namespace

BROCH_SINK(
    Tar, "broch.sink.tar", "1.0.0",
    "Writes the components of points as files in one or several tar archives (WebDataset shards).",
    Options::schema, broch::extensions(".tar"))
