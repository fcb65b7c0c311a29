// queue.cpp: threads read a dataflow in advance, into a queue of limited length. tensorpack:
// `QueueInput`.
//
// Data points leave the queue in their order, each with its own cursor, so a run that is resumed
// after the last used point loses none of those in the queue. A failure of the dataflow is reported
// when the reader reaches the failed point, with its status and message; it is never mistaken for
// the end of the data.
#include <broch/broch.hpp>
#include <broch/cpp/ordered_threads.hpp>
#include <broch/cpp/positions.hpp>

namespace {

constexpr double kSizeDecay = 0.5;  // of the moving average of the length of the queue

struct Options {
  broch::ChildDataFlow dataflow;
  size_t capacity, threads;
  bool infinite;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow that yields the data points."),
      broch::option(
          "capacity", &Options::capacity,
          "Maximum number of data points in the queue, including those that are being read.")
          .minimum(1)
          .by_default(50),
      broch::option("threads", &Options::threads,
                    "Number of threads that read; more than one needs an indexed dataflow. The "
                    "points and their order do not depend on it.")
          .minimum(1)
          .maximum(1024)
          .by_default(1),
      broch::option("infinite", &Options::infinite,
                    "true: start the next round at the end of a round; false: the end of the data "
                    "ends training.")
          .by_default(true));
};

class Queue final : public broch::InputSource, public broch::Callback {
 public:
  static constexpr uint32_t kFlags = 0;

  Queue(const broch::Host& host, const Options& options)
      : host_(host),
        child_(options.dataflow),
        capacity_(options.capacity),
        number_of_threads_(options.threads),
        infinite_(options.infinite) {
    if (number_of_threads_ > 1 && !child_.indexed())
      throw broch::Error(
          BROCH_E_INVALID_ARGUMENT,
          "threads is " + std::to_string(number_of_threads_) +
              ", but the dataflow is a stream, which only 1 thread can read; move slow work to the "
              "transforms of a dataflow 'map', and set its option threads");
  }

  void setup(const broch_input_spec*, uint32_t) override { child_.reset_state(); }
  void reset_state() override { start(""); }
  void resume(const std::vector<std::string>& cursors) override {
    start(cursors.empty() ? "" : cursors.back());
  }
  std::optional<int64_t> size() override { return child_.size(); }

  bool next(uint32_t, const broch::Cancel& cancel, broch::PointWriter& point) override {
    while (std::optional<Item> item = threads_->take(cancel)) {
      if (item->is_behind_end) {
        ended_round_ = item->position.round;
        continue;
      }
      next_round_ = item->position.round + 1;
      if (!child_.indexed()) last_ = item->point.cursor();
      item->point.move_to(point);
      return true;
    }
    last_.clear();  // nothing was read that was not taken
    return false;
  }

  void stop() override {
    if (threads_) threads_->stop();
  }

  // As a callback: reports the average length of the queue. Near 0, training waits for data.
  void setup_graph() override {
    run_.emplace(host_);
    metrics_.emplace(host_);
  }
  void after_run(broch_run) override {
    const double length = threads_ ? double(threads_->ready()) : 0;
    average_ += (1 - kSizeDecay) * (length - average_);
    weight_ = weight_ * kSizeDecay + (1 - kSizeDecay);
    if (run_->is_last_step()) metrics_->put_scalar("QueueInput/queue_size", average_ / weight_);
  }

 private:
  struct Item {
    broch::Point point;
    broch::Position position;  // if the dataflow is indexed
    bool is_behind_end = false;
  };
  using Threads = broch::OrderedThreads<Item>;

  void start(const std::string& cursor) {
    threads_.reset();
    positions_.reset();
    ended_round_.reset();
    is_open_ = false;
    if (!cursor.empty()) last_ = cursor;
    Threads::Work work;
    work.is_left_out = [this](const Item& item) { return ended_round_ == item.position.round; };
    if (child_.indexed()) {
      work.begin = [this, cursor](const broch_cancel*) { return begin_read(cursor); };
      work.complete = [this](Item& item, const broch_cancel* cancel) { read(item, cancel); };
    } else {
      work.begin = [this, cursor, last = last_](const broch_cancel* cancel) {
        if (!is_open_) open_stream(cursor, last);
        return take_next(cancel);
      };
    }
    threads_.emplace(host_, "queue", number_of_threads_, capacity_, work);
  }

  // For an indexed dataflow. Starting again continues with the round after those of
  // which points were consumed, as open does it.
  std::optional<Item> begin_read(const std::string& cursor) {
    if (!positions_) {
      const broch::Position start =
          cursor.empty() ? broch::Position{next_round_, 0} : child_.locate(cursor);
      // A resumed round may have nothing left.
      first_full_round_ = cursor.empty() ? start.round : start.round + 1;
      next_round_ = start.round + 1;
      positions_.emplace(child_, start, infinite_);
    }
    const std::optional<broch::Position> position = positions_->next();
    if (!position) return std::nullopt;
    return Item{broch::Point(host_), *position};
  }
  void read(Item& item, const broch_cancel* cancel) {
    const broch::Position& at = item.position;
    if (child_.read(at, cancel, item.point.handle())) {
      if (!child_.has_locate())
        item.point.writer().set_cursor(broch::cursor_of({at.round, at.index + 1}));
    } else if (infinite_ && at.index == 0 && at.round >= first_full_round_) {
      refuse_empty();
    } else {
      item.is_behind_end = true;
      positions_->end_round(at);
    }
  }

  // For a stream. Which round starts anew may depend on how much was read in advance, so the stream
  // first goes back to the last point that was taken.
  void open_stream(const std::string& cursor, const std::string& last) {
    if (cursor.empty() && !last.empty()) child_.open(last);
    child_.open(cursor);
    is_open_ = true;
    fresh_ = cursor.empty();
  }
  std::optional<Item> take_next(const broch_cancel* cancel) {
    Item item{broch::Point(host_), {}};
    while (!child_.next(cancel, item.point.handle())) {
      if (!infinite_) return std::nullopt;
      if (fresh_) refuse_empty();
      child_.open("");
      fresh_ = true;
    }
    fresh_ = false;
    return item;
  }

  [[noreturn]] static void refuse_empty() {
    throw broch::Error(
        BROCH_E_INVALID_ARGUMENT,
        "the dataflow yields no data points; it needs more data, or a smaller batch");
  }

  broch::Host host_;
  broch::ChildDataFlow child_;
  std::optional<broch::Run> run_;
  std::optional<broch::Metrics> metrics_;
  size_t capacity_, number_of_threads_;
  bool infinite_;
  double average_ = 0, weight_ = 0;

  // Used by the thread that begins an item; next_round_ also by the consumer of a later one.
  std::optional<broch::Positions> positions_;
  uint64_t next_round_ = 0, first_full_round_ = 0;
  bool is_open_ = false;
  bool fresh_ = true;  // nothing yielded since the dataflow was opened at its beginning

  // Used by the consumer.
  std::optional<uint64_t> ended_round_;  // of which a position behind the end has left the queue
  std::string last_;                     // of a stream: the cursor of the last point that was taken

  std::optional<Threads> threads_;
};

}  // namespace

BROCH_INPUT_SOURCE(Queue, "broch.input_source.queue", "1.1.0",
                   "Reads a dataflow in advance on its own threads, into a bounded queue.",
                   Options::schema, broch::staged_by("broch.input_source.staging"),
                   broch::produces("QueueInput/queue_size"))
