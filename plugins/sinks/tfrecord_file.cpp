// tfrecord_file.cpp: writes points as tf.train.Example to TFRecord files.
#include <broch/broch.hpp>
#include <containers/example.hpp>
#include <containers/tfrecord.hpp>
#include <optional>

#include "files/named.hpp"
#include "files/shards.hpp"

namespace {

struct Options {
  int64_t shard_size;

  static constexpr auto schema = broch::options(
      broch::option(
          "shard_size", &Options::shard_size,
          "Size in bytes after which a new file FILE-NUMBER.tfrecord begins; 0: one file.")
          .minimum(0)
          .by_default(0));
};

class Tfrecord final : public broch::Sink {
 public:
  explicit Tfrecord(const Options& options) : shard_size_(options.shard_size) {}

  void open(const std::string& path) override { shards_.emplace(path, shard_size_); }

  void put(broch::PointReader& point) override {
    std::vector<containers::Named> features = files::named_of(point);
    for (size_t i = 0; i < features.size(); ++i)
      if (features[i].name.empty()) features[i].name = std::to_string(i);
    const std::string record = containers::example_of(features);
    constexpr size_t kFrame = 16;  // length and checksums
    if (shards_->needs_next(record.size() + kFrame)) begin();
    writer_->add(record);
  }

  void close() override { writer_->finish(); }

 private:
  void begin() {
    if (writer_) writer_->finish();
    writer_.emplace(shards_->next());
  }

  int64_t shard_size_;
  std::optional<files::Shards> shards_;
  std::optional<containers::TfrecordWriter> writer_;
};

}  // namespace

BROCH_SINK(Tfrecord, "broch.sink.tfrecord", "1.0.0",
           "Writes points as tf.train.Example to one or several TFRecord files.", Options::schema,
           broch::extensions(".tfrecord", ".tfrecords"))
