// cache.hpp: stores the points of the first round of a dataflow, in memory or in a file, and yields
// them in every round. tensorpack: `CacheData`.
//
// Only round 0 of the child is read, so the points are the same whether they are in the cache or
// not. The round is mixed into the key, so that random transforms around the cache differ from
// round to round.
//
// Points of an indexed child that do not fit are read again each time. The points of a stream must
// all fit. The cursor of a stream is the round and the number of points that were yielded in it.
#pragma once
#include <broch/broch.hpp>

#include "record.hpp"
#include "record_store.hpp"

namespace broch::dataflows {

struct CacheOptions {
  ChildDataFlow dataflow;
  std::optional<std::string> file;
  std::optional<uint64_t> max_bytes;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &CacheOptions::dataflow,
                    "The dataflow to cache. Its first round is stored and yielded in every round, "
                    "so put shuffle and random transforms around cache, not inside of it."),
      broch::option("file", &CacheOptions::file,
                    "The file for the points, which later runs use again; null: points are stored "
                    "in memory. Delete the file when the data changes.")
          .min_length(1)
          .is_path(),
      broch::option(
          "max_bytes", &CacheOptions::max_bytes,
          "Maximum size of the cache; null: 2^30 bytes (1 GiB) in memory, no limit in a file.")
          .minimum(0)
          .unit("bytes"));
};

class Cache final : public DataFlow, public Indexed {
 public:
  Cache(const Host& host, const CacheOptions& options)
      : host_(host),
        child_(options.dataflow),
        part_(host),
        file_(options.file),
        max_bytes_(options.max_bytes) {
    if (file_ && child_.has_locate())
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/file: found a file for a dataflow that has other points on each rank, such as "
                  "'shard', expected the same points on all: put 'shard' around 'cache'");
    // The fingerprint would not change with the options of what is referred to.
    if (file_ && refers(Config(host), "/dataflow"))
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/file: found a file for a dataflow with a reference in it, expected one that is "
                  "written inside of 'cache', since its options say whether the file can be used "
                  "again: write it there with its name, and let the others refer to it");
  }

  bool indexed() const override { return child_.indexed(); }
  void reset_state() override {
    child_.reset_state();
    if (file_)
      store_ = std::make_unique<FileStore>(*file_, fingerprint(), max_bytes_.value_or(UINT64_MAX));
    else
      store_ = std::make_unique<MemoryStore>(max_bytes_.value_or(uint64_t{1} << 30));
  }
  std::optional<int64_t> size() override { return child_.size(); }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    if (const Record record = store_->get(position.index)) {
      yield(*record, position.round, point);
      return true;
    }
    Point part(host_);
    if (!child_.read({0, position.index}, cancel, part)) return false;
    if (store_->has_room(record_size(part))) store_->put(position.index, record_of(part));
    const uint64_t key = part.key();
    part.move_all(point);
    if (key) point.set_key(mixed(key, position.round));
    return true;
  }

  void open(const std::string& cursor) override {
    const Position at = cursor.empty() ? Position{round_ + 1, 0} : position_of(cursor, "cache");
    round_ = at.round;
    place_ = at.index;
  }
  std::optional<std::string> start_cursor() override { return cursor_of({round_, place_}); }
  bool next(const Cancel& cancel, PointWriter& point) override {
    Record record = store_->get(place_);
    if (!record) {
      if (!read_up_to(place_, cancel)) return false;
      record = store_->get(place_);
    }
    if (!record)
      throw Error(BROCH_E_DATA_LOSS, file_.value_or("the cache") + ": there is no point " +
                                         std::to_string(place_) +
                                         ", although the count of all points is there: the file "
                                         "is damaged; delete it, so that it is written again");
    yield(*record, round_, point);
    point.set_cursor(cursor_of({round_, ++place_}));
    return true;
  }

 private:
  // Of what the points are made: the options of the child, as they stand in the manifest.
  uint64_t fingerprint() const {
    uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
    for (const char c : Instance(host_).child_id("/dataflow") + Config(host_).json("/dataflow"))
      hash = (hash ^ uint8_t(c)) * 0x100000001B3u;
    return hash;
  }

  // Whether the option at this place is or contains {"ref": name}. An option of a component may
  // have the name "ref", too.
  static bool refers(const Config& config, const std::string& at) {
    const int32_t kind = config.kind(at);
    if (kind == BROCH_CONFIG_ARRAY)
      for (uint64_t i = 0, n = config.size(at); i < n; ++i)
        if (refers(config, at + "/" + std::to_string(i))) return true;
    if (kind != BROCH_CONFIG_OBJECT) return false;
    if (!at.ends_with("/with") && config.kind(at + "/ref") == BROCH_CONFIG_STRING) return true;
    for (const std::string& key : config.keys(at))
      if (refers(config, at + "/" + key)) return true;
    return false;
  }

  void yield(const std::string& record, uint64_t round, PointWriter& point) const {
    if (const uint64_t key = add_record(record, point)) point.set_key(mixed(key, round));
  }

  // Of a stream: reads and keeps all points up to this one. False: the child ends before.
  bool read_up_to(uint64_t place, const Cancel& cancel) {
    if (const auto count = store_->count()) return place < *count;
    if (!is_open_) child_.open("");
    is_open_ = true;
    for (; read_ <= place; ++read_) {
      if (cancel.cancelled()) throw Cancelled();
      part_.clear();
      if (!child_.next(cancel, part_)) {
        store_->complete(read_);
        return false;
      }
      if (!store_->put(read_, record_of(part_)))
        throw Error(BROCH_E_RESOURCE_EXHAUSTED,
                    "point " + std::to_string(read_) + " does not fit into the cache" +
                        (file_ ? " " + *file_ : "") +
                        ", expected all points of the stream to fit: raise max_bytes, name a file, "
                        "or leave the cache out" +
                        (file_ ? "; while another process writes the file, it cannot grow" : ""));
    }
    return true;
  }

  Host host_;
  ChildDataFlow child_;
  Point part_;
  std::optional<std::string> file_;
  std::optional<uint64_t> max_bytes_;
  std::unique_ptr<RecordStore> store_;  // since reset_state
  // Of a stream:
  uint64_t round_ = ~uint64_t{0}, place_ = 0;  // the first round is 0
  uint64_t read_ = 0;                          // points of the child
  bool is_open_ = false;                       // the child
};

}  // namespace broch::dataflows
