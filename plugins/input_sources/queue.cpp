// queue.cpp: a thread reads a dataflow ahead into a queue of limited length. tensorpack:
// `QueueInput`.
//
// Data points leave the queue in their order, each with its own cursor, so resuming after the last
// point that was consumed loses none of those that were queued. A failure of the dataflow is passed
// to the next reader with its status and message; it never looks like the end of the data.
#include <sys/eventfd.h>
#include <unistd.h>

#include <broch/broch.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace {

constexpr int64_t kPollNanoseconds = 50'000'000;
constexpr double kSizeDecay = 0.5;  // of the moving average of the length of the queue

struct Options {
  broch::ChildDataFlow dataflow;
  size_t capacity;
  bool infinite;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow that yields the data points."),
      broch::option("capacity", &Options::capacity, "Maximal number of data points in the queue.")
          .minimum(1)
          .by_default(50),
      broch::option("infinite", &Options::infinite,
                    "Start again at the end of the data; false: the end of the data ends training.")
          .by_default(true));
};

class Queue final : public broch::InputSource, public broch::Callback {
 public:
  static constexpr uint32_t kFlags = 0;

  Queue(const broch::Host& host, const Options& options)
      : host_(host),
        child_(options.dataflow),
        capacity_(options.capacity),
        refill_(capacity_ - (capacity_ + 3) / 4),
        infinite_(options.infinite) {}
  ~Queue() override {
    stop();
    if (stop_event_ >= 0) close(stop_event_);
  }

  void setup(const broch_input_spec*, uint32_t) override { child_.reset_state(); }
  void reset_state() override { start(""); }
  void resume(const std::vector<std::string>& cursors) override {
    start(cursors.empty() ? "" : cursors.back());
  }
  std::optional<int64_t> size() override { return child_.size(); }

  bool next(uint32_t, const broch::Cancel& cancel, broch::PointWriter& point) override {
    std::unique_lock<std::mutex> lock(mutex_);
    while (points_.empty() && !ended_ && !failure_) {
      filled_.wait_for(lock, std::chrono::nanoseconds(kPollNanoseconds));
      if (points_.empty() && cancel.cancelled()) throw broch::Cancelled();
    }
    if (points_.empty()) {
      if (failure_) throw *failure_;
      return false;
    }
    broch::Point front = std::move(points_.front());
    points_.pop_front();
    const bool wakes = points_.size() == refill_;
    lock.unlock();
    if (wakes) taken_.notify_all();
    front.move_to(point);
    return true;
  }

  void stop() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    taken_.notify_all();
    if (stop_event_ >= 0) eventfd_write(stop_event_, 1);
    if (thread_.joinable()) thread_.join();
  }

  // As a callback: reports the average length of the queue. Near 0, training waits for data.
  void setup_graph() override {
    run_.emplace(host_);
    metrics_.emplace(host_);
  }
  void after_run(broch_run) override {
    std::unique_lock<std::mutex> lock(mutex_);
    const double length = double(points_.size());
    lock.unlock();
    average_ += (1 - kSizeDecay) * (length - average_);
    weight_ = weight_ * kSizeDecay + (1 - kSizeDecay);
    if (run_->is_last_step()) metrics_->put_scalar("QueueInput/queue_size", average_ / weight_);
  }

 private:
  void start(const std::string& cursor) {
    stop();
    if (stop_event_ >= 0) close(stop_event_);
    stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stop_event_ < 0) throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED, "no file descriptor left");
    std::lock_guard<std::mutex> lock(mutex_);
    points_.clear();
    ended_ = stopping_ = false;
    failure_.reset();
    thread_ = std::thread([this, cursor] { fill(cursor); });
  }

  void fill(const std::string& cursor) {
    try {
      const broch::ThreadScope thread(host_, "queue");
      read(cursor);
      finish(std::nullopt);
    } catch (const broch::Cancelled&) {
      finish(std::nullopt);
    } catch (const broch::Error& error) {
      finish(error);
    } catch (const std::exception& error) {
      finish(broch::Error(error.what()));
    }
  }

  void read(const std::string& cursor) {
    const broch_cancel cancel = {this, &asked_to_stop, &wait_to_stop, &event_of_stop};
    child_.open(cursor);
    bool fresh = cursor.empty();
    for (;;) {
      broch::Point point(host_);
      if (child_.next(&cancel, point.handle())) {
        fresh = false;
        if (!put(std::move(point))) return;
      } else if (!infinite_) {
        return;
      } else if (fresh) {
        throw broch::Error("the dataflow yields no data point at all");
      } else {
        child_.open("");
        fresh = true;
      }
    }
  }

  // False: the queue is being stopped.
  bool put(broch::Point point) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (points_.size() >= capacity_)
      taken_.wait(lock, [this] { return points_.size() <= refill_ || stopping_; });
    if (stopping_) return false;
    points_.push_back(std::move(point));
    filled_.notify_one();
    return true;
  }

  void finish(std::optional<broch::Error> failure) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!stopping_) failure_ = std::move(failure);
    ended_ = true;
    filled_.notify_all();
  }

  static int32_t asked_to_stop(void* self) {
    auto* queue = static_cast<Queue*>(self);
    std::lock_guard<std::mutex> lock(queue->mutex_);
    return queue->stopping_;
  }
  static int32_t event_of_stop(void* self) { return static_cast<Queue*>(self)->stop_event_; }
  static int32_t wait_to_stop(void* self, int64_t nanoseconds) {
    auto* queue = static_cast<Queue*>(self);
    std::unique_lock<std::mutex> lock(queue->mutex_);
    queue->taken_.wait_for(lock, std::chrono::nanoseconds(nanoseconds),
                           [queue] { return queue->stopping_; });
    return queue->stopping_;
  }

  broch::Host host_;
  broch::ChildDataFlow child_;
  std::optional<broch::Run> run_;
  std::optional<broch::Metrics> metrics_;
  size_t capacity_;
  size_t
      refill_;  // a full queue is refilled from this length on, since waking a thread costs 10 us
  bool infinite_;
  double average_ = 0, weight_ = 0;
  int stop_event_ = -1;  // readable when the thread is asked to stop

  std::mutex mutex_;
  std::condition_variable filled_, taken_;
  std::deque<broch::Point> points_;  // from here on: guarded by mutex_
  bool ended_ = false, stopping_ = false;
  std::optional<broch::Error> failure_;
  std::thread thread_;
};

}  // namespace

BROCH_INPUT_SOURCE(Queue, "broch.input_source.queue", "1.0.0",
                   "Reads a dataflow ahead, on a thread of its own, into a bounded queue.",
                   Options::schema, broch::staged_by("broch.input_source.staging"))
