// map.cpp: applies transforms to the data points of a dataflow. tensorpack: `MapData`,
// `MultiThreadMapData`.
//
// map is indexed if the dataflow is, each transform makes exactly one point from one, and threads
// is 0. Otherwise it is a stream with the cursor "ROUND:MADE:CURSOR": in this round, continue after
// the point of the dataflow with this cursor, and skip the first MADE points that the transforms
// make from the points after it.
//
// The random numbers of a transform depend on the key of the point. A stream may have the same keys
// in each round, so map mixes them with the round.
#include <broch/broch.hpp>
#include <broch/cpp/ordered_threads.hpp>
#include <broch/cpp/positions.hpp>
#include <deque>
#include <utility>

#include "combinators/cursor_list.hpp"
#include "combinators/numbers_before.hpp"
#include "map/chain.hpp"
#include "map/skips.hpp"

namespace {

enum class OnError { fail, skip };

struct Options {
  broch::ChildDataFlow dataflow;
  std::vector<broch::ChildTransform> transforms;
  size_t threads;
  OnError on_error;
  uint64_t max_errors;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow whose points are transformed."),
      broch::option("transforms", &Options::transforms,
                    "The transforms, applied one after the other."),
      broch::option("threads", &Options::threads,
                    "Number of threads that transform the points of a stream in advance; 0: none. "
                    "For an indexed dataflow, set threads of 'queue' instead. The points and their "
                    "order do not depend on it.")
          .maximum(1024)
          .by_default(0),
      broch::option("on_error", &Options::on_error,
                    "What to do with a damaged point: fail: end the run; skip: replace it by the "
                    "next point that is not damaged. Of a stream, a point that cannot be "
                    "transformed is left out, and one that cannot be read ends the run.")
          .one_of("fail", "skip")
          .by_default("fail"),
      broch::option("max_errors", &Options::max_errors,
                    "Maximum number of points that are skipped in a round; one more ends the run.")
          .by_default(100));
};

class Map final : public broch::DataFlow, public broch::Indexed {
 public:
  Map(const broch::Host& host, const Options& options)
      : host_(host),
        child_(options.dataflow),
        chain_(host, options.transforms),
        number_of_threads_(options.threads) {
    if (options.on_error == OnError::skip) {
      if (child_.has_locate())
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           "on_error 'skip' does not work around a dataflow that has cursors of "
                           "its own, such as 'shard': put 'shard' around 'map' instead");
      skips_.emplace(host, options.max_errors);
    }
  }

  void reset_state() override { child_.reset_state(); }
  std::optional<int64_t> size() override {
    if (chain_.makes_many() || (skips_ && !child_.indexed())) return std::nullopt;
    return child_.size();
  }

  bool indexed() const override {
    return child_.indexed() && number_of_threads_ == 0 && !chain_.makes_many();
  }
  bool read(const broch::Position& position, const broch::Cancel& cancel,
            broch::PointWriter& point) override {
    const auto read_into = [&](broch_point out) {
      return read_child(position, cancel.c(), [&](broch::Point& in) { chain_.apply(in, out); });
    };
    if (!skips_) return read_into(point.handle());
    // In a row of a batch, a damaged point would leave its shape to the other rows, and one that
    // has another shape than they would count as damaged.
    broch::Point made(host_);
    if (!read_into(made.handle())) return false;
    made.move_to(point);
    return true;
  }
  bool has_locate() const override { return child_.has_locate(); }
  broch::Position locate(const std::string& cursor) override { return child_.locate(cursor); }

  void open(const std::string& cursor) override {
    if (threads_) go_back();
    current_.reset();
    made_.clear();
    is_ended_ = false;
    number_ = 0;
    start_ = cursor.empty() ? Place{next_round_, 0, ""} : place_of(cursor);
    open_child();
    next_round_ = start_.round + 1;
    before_ = start_;
    after_ = start_.cursor;
    left_out_ = start_.made;
  }
  std::optional<std::string> start_cursor() override {
    if (start_.cursor.empty()) return std::nullopt;
    return text_of(start_);
  }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    while (made_.empty()) {
      // A filter may drop all points of a child that never waits.
      if (cancel.cancelled()) throw broch::Cancelled();
      std::optional<Item> item = take(cancel);
      if (!item) return false;
      if (item->is_behind_end) {
        is_ended_ = true;
        continue;
      }
      before_.cursor = std::exchange(after_, item->cursor);
      before_.made = 0;
      for (broch::Point& one : item->made) made_.push_back(std::move(one));
      for (; left_out_ > 0 && !made_.empty(); --left_out_, ++before_.made) made_.pop_front();
      left_out_ = 0;
    }
    made_.front().move_to(point);
    made_.pop_front();
    ++before_.made;
    if (!after_.empty())
      point.set_cursor(text_of(made_.empty() ? Place{before_.round, 0, after_} : before_));
    return true;
  }

 private:
  // A place between two points of a stream.
  struct Place {
    uint64_t round = 0, made = 0;
    std::string cursor;  // of the child
  };
  // A point of the child, and what becomes of it.
  struct Item {
    broch::Position position;        // in a stream: the number of the point since open
    std::string cursor;              // of the child
    std::vector<broch::Point> made;  // of it; before that, in a stream, the point itself
    bool is_behind_end = false;
  };
  using Threads = broch::OrderedThreads<Item>;

  static std::string text_of(const Place& place) {
    return std::to_string(place.round) + ":" + std::to_string(place.made) + ":" + place.cursor;
  }
  static Place place_of(const std::string& cursor) {
    uint64_t round = 0, made = 0;
    if (const auto of_child = broch::dataflows::after_numbers<uint64_t>(cursor, {&round, &made}))
      return {round, made, *of_child};
    broch::dataflows::refuse_cursor(cursor, "map", "ROUND:MADE:CURSOR");
  }

  // Threads have read ahead. Puts a stream back to the last point that was yielded, because its
  // next round may depend on how much of this one was read.
  void go_back() {
    threads_.reset();
    if (!child_.indexed() && !after_.empty()) child_.open(after_);
  }

  // Opens the child at start_, whose cursor is empty for the beginning of a round.
  void open_child() {
    if (child_.indexed()) {
      if (start_.cursor.empty()) start_.cursor = broch::cursor_of({start_.round, 0});
      positions_.emplace(child_, child_.locate(start_.cursor), false);
    } else {
      child_.open(start_.cursor);
      if (start_.cursor.empty()) start_.cursor = child_.start_cursor().value_or("");
    }
  }

  // Reads by index, and passes the point to use.
  template <class Use>
  bool read_child(const broch::Position& position, const broch_cancel* cancel, Use&& use) {
    const auto read = [&](const broch::Position& at) {
      broch::Point in(host_);
      if (!child_.read(at, cancel, in.handle())) return false;
      // This point comes twice in the round.
      if (at.index != position.index) in.writer().set_key(broch::mixed(in.key(), position.index));
      use(in);
      return true;
    };
    return skips_ ? skips_->replace(position, read) : read(position);
  }

  // The next item, complete. If it was cancelled, the next call continues with the same one.
  std::optional<Item> take(const broch::Cancel& cancel) {
    if (number_of_threads_ > 0) {
      if (!threads_) start_threads();
      return threads_->take(cancel);
    }
    if (!current_) current_ = begin(cancel.c());
    if (current_) complete(*current_, cancel.c());
    return std::exchange(current_, std::nullopt);
  }
  void start_threads() {
    Threads::Work work;
    work.begin = [this](const broch_cancel* cancel) { return begin(cancel); };
    work.complete = [this](Item& item, const broch_cancel* cancel) { complete(item, cancel); };
    work.is_left_out = [this](const Item&) { return is_ended_; };
    threads_.emplace(host_, "map", number_of_threads_, kAhead * number_of_threads_, work);
  }

  std::optional<Item> begin(const broch_cancel* cancel) {
    Item item;
    if (child_.indexed()) {
      const std::optional<broch::Position> position = positions_->next();
      if (!position) return std::nullopt;
      item.position = *position;
      return item;
    }
    broch::Point in(host_);
    if (!child_.next(cancel, in.handle())) return std::nullopt;
    item.position = {start_.round, number_++};
    item.cursor = in.cursor();
    in.writer().set_key(broch::mixed(key_in_stream(in, item), start_.round));
    item.made.push_back(std::move(in));
    return item;
  }
  // What identifies a point in its round.
  static uint64_t key_in_stream(const broch::Point& in, const Item& item) {
    if (const uint64_t key = in.key()) return key;
    if (item.cursor.empty()) return item.position.index;
    uint64_t hash = 0;
    for (const char c : item.cursor) hash = broch::mixed(hash, uint8_t(c));
    return hash;
  }

  void complete(Item& item, const broch_cancel* cancel) {
    if (child_.indexed()) return complete_read(item, cancel);
    try {
      chain_.apply(item.made);
    } catch (const broch::Error& error) {
      if (!skips_) throw;
      skips_->add(item.position, "the point with the cursor '" + item.cursor + "'", error);
      item.made.clear();
    }
  }
  void complete_read(Item& item, const broch_cancel* cancel) {
    const broch::Position& at = item.position;
    const bool found = read_child(at, cancel, [&](broch::Point& in) {
      item.cursor = child_.has_locate() ? in.cursor() : broch::cursor_of({at.round, at.index + 1});
      item.made.clear();
      item.made.push_back(std::move(in));
      chain_.apply(item.made);
    });
    if (found) return;
    item.is_behind_end = true;
    positions_->end_round(at);
  }

  static constexpr size_t kAhead = 4;  // points per thread

  broch::Host host_;
  broch::ChildDataFlow child_;
  dataflows::Chain chain_;
  size_t number_of_threads_;
  std::optional<dataflows::Skips> skips_;  // with on_error "skip"

  // Of a stream:
  uint64_t next_round_ = 0;
  Place start_;            // of this iteration
  Place before_;           // of the next point, as made from a point of the child
  std::string after_;      // the cursor of that point of the child
  uint64_t left_out_ = 0;  // points that were yielded before the run was resumed
  std::deque<broch::Point> made_;
  bool is_ended_ = false;        // a position behind the end of the round was taken
  std::optional<Item> current_;  // without threads: an item that is begun
  std::optional<broch::Positions> positions_;
  uint64_t number_ = 0;  // points taken since open
  std::optional<Threads> threads_;
};

}  // namespace

BROCH_DATAFLOW(Map, "broch.dataflow.map", "1.0.0",
               "Applies transforms to the data points of a dataflow.", Options::schema)
