// flows.cpp: a source of numbers that is read by index or as a stream, transforms of numbers, and a
// dataflow that examines another one.
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <thread>

#include "trace.hpp"

namespace {

using broch::test::text_of;
using broch::test::Trace;

// Yields 0, 1, … in each round. At the indices of `bad` the data are damaged, also behind the end
// of a round; `wait_at` waits until it is cancelled. delay: sleeps for up to so many microseconds,
// so that threads overtake another.
struct NumbersOptions {
  int64_t size;
  bool indexed, known_size, keys, cursors;
  std::vector<int64_t> bad;
  int64_t wait_at, delay;

  static constexpr auto schema = broch::options(
      broch::option("size", &NumbersOptions::size),
      broch::option("indexed", &NumbersOptions::indexed).by_default(true),
      broch::option("known_size", &NumbersOptions::known_size).by_default(true),
      broch::option("keys", &NumbersOptions::keys).by_default(false),
      broch::option("cursors", &NumbersOptions::cursors).by_default(true),
      broch::option("bad", &NumbersOptions::bad).schema(R"("type": "array", "default": [])"),
      broch::option("wait_at", &NumbersOptions::wait_at).by_default(-1),
      broch::option("delay", &NumbersOptions::delay).by_default(0));
};

class Numbers final : public broch::DataFlow, public broch::Indexed {
 public:
  explicit Numbers(const NumbersOptions& options) : options_(options) {}
  void reset_state() override {}
  std::optional<int64_t> size() override {
    return options_.known_size ? std::optional<int64_t>(options_.size) : std::nullopt;
  }
  bool indexed() const override { return options_.indexed; }
  bool read(const broch::Position& position, const broch::Cancel& cancel,
            broch::PointWriter& point) override {
    const auto index = int64_t(position.index);
    if (options_.delay > 0)
      std::this_thread::sleep_for(std::chrono::microseconds(
          broch::mixed(position.round, position.index) % uint64_t(options_.delay)));
    for (const int64_t bad : options_.bad)
      if (bad == index)
        throw broch::Error(BROCH_E_DATA_LOSS, "number " + std::to_string(index) + " is damaged");
    if (index >= options_.size) return false;
    while (index == options_.wait_at) cancel.wait(1'000'000'000);
    *point.allocate<float>({}) = float(index);
    if (options_.keys) point.set_key(position.index + 1);
    return true;
  }
  void open(const std::string& cursor) override {
    next_ = cursor.empty() ? 0 : std::stoull(cursor) + 1;
  }
  std::optional<std::string> start_cursor() override {
    if (!options_.cursors) return std::nullopt;
    return std::to_string(int64_t(next_) - 1);
  }
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (!read({0, next_}, cancel, point)) return false;
    if (options_.cursors) point.set_cursor(std::to_string(next_));
    ++next_;
    return true;
  }

 private:
  NumbersOptions options_;
  uint64_t next_ = 0;
};

// Adds a random number below 1.
class Noise final : public broch::Transform {
 public:
  explicit Noise(const broch::Host&) {}
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    const broch_dl_tensor view = in.view(0);
    int64_t elements = 1;
    for (int32_t i = 0; i < view.ndim; ++i) elements *= view.shape[i];
    const auto* from =
        reinterpret_cast<const float*>(static_cast<const char*>(view.data) + view.byte_offset);
    auto* const to = static_cast<float*>(out.allocate(view.dtype, view.shape, size_t(view.ndim)));
    for (int64_t i = 0; i < elements; ++i)
      to[i] = std::floor(from[i]) + float(draws.below(1000)) / 1000;
  }
};

// Fails for numbers that are 2 more than a multiple of 5, after it has begun a result of another
// shape.
class Picky final : public broch::Transform {
 public:
  explicit Picky(const broch::Host&) {}
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws) override {
    const float value = *static_cast<const float*>(in.view(0).data);
    if (int(value) % 5 == 2) {
      out.allocate<float>({2});
      throw broch::Error(BROCH_E_DATA_LOSS, "the value " + text_of(double(value)) + " is damaged");
    }
    in.move(0, out);
  }
};

// Interrupts the process at the point with this number, counted from 1.
struct InterruptingOptions {
  int64_t at;

  static constexpr auto schema =
      broch::options(broch::option("at", &InterruptingOptions::at, "0: never.").by_default(0));
};

class Interrupting final : public broch::Transform {
 public:
  Interrupting(const broch::Host&, const InterruptingOptions& options) : at_(options.at) {}
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws) override {
    in.move(0, out);
    if (++points_ == at_) std::raise(SIGINT);
  }

 private:
  int64_t at_, points_ = 0;
};

// Makes x mod 3 points of a point whose first number is x.
class Copies final : public broch::ManyTransform {
 public:
  explicit Copies(const broch::Host&) {}
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws) override {
    const auto* data = static_cast<const float*>(in.view(0).data);
    for (int i = 0, n = int(data[0]) % 3; i < n; ++i) {
      out.add(in.view(0));
      out.emit();
    }
  }
};

// Writes "size N", and for each point of some rounds "point ROUND VALUES KEY CURSOR". A dataflow
// that is read by index is then read on several threads, in another order. Any dataflow is opened
// again after each of these points. It has to yield the same each time. At most `limit` points of a
// round are read.
struct WalkOptions {
  broch::ChildDataFlow dataflow;
  int64_t rounds, limit;
  std::string cursor;
  std::optional<std::string> trace;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &WalkOptions::dataflow),
      broch::option("rounds", &WalkOptions::rounds).by_default(3),
      broch::option("limit", &WalkOptions::limit).by_default(50),
      broch::option("cursor", &WalkOptions::cursor, "Where the first round starts.").by_default(""),
      broch::option("trace", &WalkOptions::trace));
};

class Walk final : public broch::DataFlow {
 public:
  Walk(const broch::Host& host, const WalkOptions& options)
      : host_(host), options_(options), trace_(broch::Config(host)) {}

  void reset_state() override { options_.dataflow.reset_state(); }
  void open(const std::string&) override {}
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (done_) return false;
    done_ = true;
    const std::optional<int64_t> size = options_.dataflow.size();
    trace_.write(size ? "size " + std::to_string(*size) : "size unknown");
    for (int64_t r = 0; r < options_.rounds; ++r) {
      options_.dataflow.open(r == 0 ? options_.cursor : "");
      rounds_.push_back(rest_of_round(options_.dataflow, cancel));
      for (const Seen& seen : rounds_.back())
        trace_.write("point " + std::to_string(r) + " " + seen.text + " " + seen.cursor);
    }
    if (options_.dataflow.indexed()) check_threads();
    for (size_t r = 0; r < rounds_.size(); ++r)
      for (size_t i = 0; i < rounds_[r].size(); ++i) check_resumed(r, i, cancel);
    point.add(std::vector<float>{1}, {1});
    return true;
  }

 private:
  struct Seen {
    std::string text, cursor;
  };
  using Round = std::vector<Seen>;

  static std::string text_of_point(const broch::Point& point) {
    std::string text;
    for (uint32_t c = 0; c < point.size(); ++c) {
      const broch_dl_tensor view = point.view(c);
      const auto* values =
          reinterpret_cast<const float*>(static_cast<const char*>(view.data) + view.byte_offset);
      int64_t elements = 1;
      for (int32_t i = 0; i < view.ndim; ++i) elements *= view.shape[i];
      for (int64_t i = 0; i < elements; ++i) text += text_of(double(values[i])) + ",";
    }
    return text + " " + std::to_string(point.key());
  }

  Round rest_of_round(const broch::ChildDataFlow& flow, const broch::Cancel& cancel,
                      size_t from = 0) const {
    Round round;
    while (int64_t(from + round.size()) < options_.limit) {
      broch::Point point(host_);
      if (!flow.next(cancel, point)) {
        if (point.size() > 0) throw broch::Error(BROCH_E_DATA_LOSS, "components behind the end");
        break;
      }
      round.push_back({text_of_point(point), point.cursor()});
    }
    return round;
  }

  static void compare(const Seen& found, const Seen& expected, const std::string& where) {
    if (found.text != expected.text || found.cursor != expected.cursor)
      throw broch::Error(BROCH_E_DATA_LOSS, where + ": " + found.text + " " + found.cursor +
                                                ", expected " + expected.text + " " +
                                                expected.cursor);
  }
  static void compare(const Round& found, const Round& expected, size_t from,
                      const std::string& where) {
    if (found.size() != expected.size() - from)
      throw broch::Error(BROCH_E_DATA_LOSS, where + ": " + std::to_string(found.size()) +
                                                " points, expected " +
                                                std::to_string(expected.size() - from));
    for (size_t i = 0; i < found.size(); ++i) compare(found[i], expected[from + i], where);
  }

  void check_resumed(size_t r, size_t i, const broch::Cancel& cancel) const {
    const Round& round = rounds_[r];
    if (round[i].cursor.empty()) return;
    const std::string where = "after " + round[i].cursor;
    options_.dataflow.open(round[i].cursor);
    compare(rest_of_round(options_.dataflow, cancel, i + 1), round, i + 1, where);
    if (r + 1 == rounds_.size() || i % 3 != 0) return;
    options_.dataflow.open("");
    compare(rest_of_round(options_.dataflow, cancel), rounds_[r + 1], 0, where + ", next round");
  }

  // Each thread reads the points of all rounds in another order.
  void check_threads() {
    std::mutex mutex;
    std::string failure;
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 3; ++seed)
      threads.emplace_back([&, seed] {
        try {
          const broch::ThreadScope scope(host_, "walk");
          read_by_index(seed);
        } catch (const std::exception& error) {
          const std::lock_guard lock(mutex);
          failure = error.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (!failure.empty()) throw broch::Error(failure);
  }
  void read_by_index(unsigned seed) const {
    std::vector<broch::Position> positions;
    for (size_t r = options_.cursor.empty() ? 0 : 1; r < rounds_.size(); ++r)
      for (size_t i = 0; i <= rounds_[r].size(); ++i) positions.push_back({r, i});
    std::shuffle(positions.begin(), positions.end(), std::minstd_rand(seed));
    for (const broch::Position& at : positions) {
      const Round& round = rounds_[at.round];
      if (at.index == round.size() && int64_t(round.size()) >= options_.limit) continue;
      broch::Point point(host_);
      const bool found = options_.dataflow.read(at, broch::Cancel::of_run(host_), point);
      const std::string where = "index " + broch::cursor_of(at);
      if (found != (at.index < round.size()))
        throw broch::Error(BROCH_E_DATA_LOSS, where + (found ? ": a point" : ": none"));
      if (found && text_of_point(point) != round[at.index].text)
        throw broch::Error(BROCH_E_DATA_LOSS, where + ": " + text_of_point(point) + ", expected " +
                                                  round[at.index].text);
    }
  }

  broch::Host host_;
  WalkOptions options_;
  Trace trace_;
  std::vector<Round> rounds_;
  bool done_ = false;
};

// Passes on the points of another source, and gives up waiting before each of them. Or insists:
// asks once more where the other one has given up.
struct PatienceOptions {
  broch::ChildInputSource input;
  bool insists;

  static constexpr auto schema =
      broch::options(broch::option("input", &PatienceOptions::input),
                     broch::option("insists", &PatienceOptions::insists).by_default(false));
};

class Patience final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;
  Patience(const broch::Host& host, const PatienceOptions& options)
      : host_(host), input_(options.input), insists_(options.insists) {}

  void setup(const broch_input_spec* inputs, uint32_t n) override { input_.setup(inputs, n); }
  void set_towers(uint32_t n) override { input_.set_towers(n); }
  void reset_state() override { input_.reset_state(); }
  void resume(const std::vector<std::string>& cursors) override { input_.resume(cursors); }
  bool next(uint32_t tower, const broch::Cancel& cancel, broch::PointWriter& point) override {
    gives_up_ = !gives_up_ && !insists_;
    if (gives_up_) throw broch::Cancelled();
    broch::Point own(host_);
    if (!ask(tower, cancel, own)) return false;
    own.move_to(point);
    return true;
  }
  std::optional<int64_t> size() override { return input_.size(); }
  void stop() override { input_.stop(); }

 private:
  bool ask(uint32_t tower, const broch::Cancel& cancel, const broch::Point& own) const {
    try {
      return input_.next(tower, cancel, own);
    } catch (const broch::Cancelled&) {
      if (!insists_) throw;
    }
    return input_.next(tower, cancel, own);
  }

  broch::Host host_;
  broch::ChildInputSource input_;
  bool insists_, gives_up_ = false;
};

}  // namespace

BROCH_COMPONENTS(
    broch::component<Numbers>("test.numbers", "dataflow", "1.0.0", "Numbers from 0.",
                              NumbersOptions::schema),
    broch::component<Noise>("test.noise", "transform", "1.0.0", "Adds a random number."),
    broch::component<Picky>("test.picky", "transform", "1.0.0", "Refuses some numbers."),
    broch::component<Interrupting>("test.interrupting", "transform", "1.0.0",
                                   "Interrupts the process.", InterruptingOptions::schema),
    broch::component<Copies>("test.copies", "transform", "1.0.0", "Makes x mod 3 points of x."),
    broch::component<Walk>("test.walk", "dataflow", "1.0.0", "Examines a dataflow.",
                           WalkOptions::schema),
    broch::component<Patience>("test.patience", "input_source", "1.0.0",
                               "Gives up waiting, or asks again.", PatienceOptions::schema))
