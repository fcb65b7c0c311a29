// examiner.cpp: a dataflow of known points, and one that reads another in all ways and compares.
#include <algorithm>
#include <broch/broch.hpp>
#include <fstream>
#include <set>
#include <utility>

namespace {

// Point `index` of a round is the number (index + round) % count + first, and a list of that number
// % 4 + 1 elements. The keys do not depend on first. "same": each round is like the first, and as a
// stream it has no keys and no start cursor.
class Numbers final : public broch::DataFlow, public broch::Indexed {
 public:
  explicit Numbers(const broch::Host& host) {
    const broch::Config config(host);
    count_ = uint64_t(config.integer("/count"));
    first_ = config.integer("/first");
    stream_ = config.boolean("/stream");
    same_ = config.boolean("/same");
    named_ = config.boolean("/named");
  }
  bool indexed() const override { return !stream_; }
  void reset_state() override {}
  std::optional<int64_t> size() override { return int64_t(count_); }
  bool read(const broch::Position& at, const broch::Cancel&, broch::PointWriter& point) override {
    if (at.index >= count_) return false;
    const int64_t number = first_ + int64_t((at.index + (same_ ? 0 : at.round)) % count_);
    point.add(std::vector<int64_t>{number}, {}, named_ ? "number" : nullptr);
    std::vector<float> list;
    for (int64_t i = 0; i <= number % 4; ++i) list.push_back(float(number) + 0.25F * float(i));
    point.add(list, {int64_t(list.size())}, named_ ? "list" : nullptr);
    if (!same_ || !stream_) point.set_key(1000 * at.round + at.index + 1);
    return true;
  }
  void open(const std::string& cursor) override {
    at_ = cursor.empty() ? broch::Position{same_ ? 0 : at_.round + 1, 0}
                         : broch::position_of(cursor, "numbers");
  }
  // Without one if each round is the same.
  std::optional<std::string> start_cursor() override {
    return same_ ? std::nullopt : std::optional<std::string>(broch::cursor_of(at_));
  }
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (!read(at_, cancel, point)) return false;
    ++at_.index;
    point.set_cursor(broch::cursor_of(at_));
    return true;
  }

 private:
  uint64_t count_;
  int64_t first_;
  bool stream_, same_, named_;
  broch::Position at_{~uint64_t{0}, 0};
};

// Reads "rounds" rounds of "dataflow" and writes them to "trace": a line "round" and one for each
// point. Then reads the rest of the data from each place in "again", a dataflow with the same
// options, which must yield the same. Yields one point.
class Examiner final : public broch::DataFlow {
 public:
  explicit Examiner(const broch::Host& host)
      : host_(host), flow_(host, "/dataflow"), again_(host, "/again") {
    const broch::Config config(host);
    rounds_ = uint64_t(config.integer("/rounds"));
    most_ = uint64_t(config.integer("/most"));
    by_index_ = config.boolean("/by_index");
    trace_.open(config.string("/trace"));
  }
  void reset_state() override {
    flow_.reset_state();
    again_.reset_state();
  }
  void open(const std::string&) override {}
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (done_) return false;
    done_ = true;
    const auto size = flow_.size();
    trace_ << "size " << (size ? std::to_string(*size) : "unknown") << "\n"
           << (flow_.indexed() ? "indexed" : "stream") << "\n";
    by_index_&& flow_.indexed() ? examine_reads(cancel) : examine_stream(cancel);
    trace_.flush();
    point.add(std::vector<float>{1}, {1});
    return true;
  }

 private:
  struct Found {
    std::string text, cursor;
    uint64_t key;
    bool operator==(const Found&) const = default;
  };

  template <class T>
  static void append(std::string& text, const broch_dl_tensor& view) {
    for (const T value : broch::view_as<const T>(view))
      text += " " + broch::number_text(double(value));
  }
  static Found found(const broch::Point& point) {
    std::string text;
    for (uint32_t i = 0; i < point.size(); ++i) {
      const broch_dl_tensor view = point.view(i);
      const broch_dtype dtype = broch::dtype_of(view.dtype);
      if (const char* name = point.name(i)) text += std::string(name) + "=";
      text += broch::dtype_name(dtype) + "[";
      for (int32_t d = 0; d < view.ndim; ++d)
        text += (d ? "," : "") + std::to_string(view.shape[d]);
      text += "]";
      switch (dtype) {
        case BROCH_FLOAT32:
          append<float>(text, view);
          break;
        case BROCH_FLOAT64:
          append<double>(text, view);
          break;
        case BROCH_INT32:
          append<int32_t>(text, view);
          break;
        case BROCH_UINT8:
          append<uint8_t>(text, view);
          break;
        case BROCH_BOOL:
          append<bool>(text, view);
          break;
        default:
          append<int64_t>(text, view);
      }
      text += ";";
    }
    return {text, point.cursor(), point.key()};
  }
  [[noreturn]] static void fail(const std::string& where, const Found& found,
                                const Found& expected) {
    throw broch::Error(BROCH_E_DATA_LOSS,
                       where + ": found " + found.text + " cursor '" + found.cursor + "' key " +
                           std::to_string(found.key) + ", expected " + expected.text + " cursor '" +
                           expected.cursor + "' key " + std::to_string(expected.key));
  }
  void note(uint64_t round, const std::vector<Found>& points) {
    trace_ << "round\n";
    std::set<uint64_t> keys;
    for (const Found& point : points) {
      trace_ << point.text << "\n";
      if (point.key && !keys.insert(point.key).second)
        fail("round " + std::to_string(round) + ": a key that came before", point, point);
    }
  }

  void examine_reads(const broch::Cancel& cancel) {
    std::vector<std::vector<Found>> rounds(rounds_);
    broch::Point point(host_);
    for (uint64_t round = 0; round < rounds_; ++round) {
      for (uint64_t index = 0; index < most_; ++index) {
        point.clear();
        if (!flow_.read(broch::Position{round, index}, cancel, point)) break;
        rounds[round].push_back(found(point));
      }
      note(round, rounds[round]);
    }
    for (uint64_t round = rounds_; round-- > 0;)
      for (uint64_t index = rounds[round].size(); index-- > 0;) {
        point.clear();
        const bool is_there = again_.read(broch::Position{round, index}, cancel, point);
        const Found again = found(point);
        if (!is_there || again != rounds[round][index])
          fail("read backwards at " + std::to_string(round) + ":" + std::to_string(index), again,
               rounds[round][index]);
      }
  }

  std::vector<Found> rest(const broch::ChildDataFlow& flow, const broch::Cancel& cancel,
                          uint64_t most) {
    std::vector<Found> points;
    broch::Point point(host_);
    while (points.size() < most) {
      point.clear();
      if (!flow.next(cancel, point)) break;
      points.push_back(found(point));
      if (points.back().cursor.empty()) fail("no cursor", points.back(), points.back());
    }
    return points;
  }
  void compare(const std::string& where, const std::vector<Found>& points,
               const std::vector<Found>& all, uint64_t from) {
    const Found none{"(end)", "", 0};
    for (uint64_t i = 0; i < std::max(points.size(), all.size() - from); ++i) {
      const Found& found = i < points.size() ? points[i] : none;
      const Found& expected = from + i < all.size() ? all[from + i] : none;
      if (found != expected) fail(where + " + " + std::to_string(i), found, expected);
    }
  }

  void examine_stream(const broch::Cancel& cancel) {
    std::vector<std::vector<Found>> rounds;
    std::vector<std::string> starts;
    for (uint64_t round = 0; round < rounds_; ++round) {
      flow_.open("");
      starts.push_back(flow_.start_cursor().value_or(""));
      rounds.push_back(rest(flow_, cancel, most_));
      note(round, rounds.back());
    }
    for (uint64_t round = 0; round < rounds_; ++round)
      for (uint64_t place = 0; place <= rounds[round].size(); ++place) {
        const std::string cursor = place ? rounds[round][place - 1].cursor : starts[round];
        if (cursor.empty()) continue;
        const std::string where = "from '" + cursor + "'";
        again_.open(cursor);
        if (place == 0 && again_.start_cursor() != cursor)
          throw broch::Error(BROCH_E_DATA_LOSS, where + ": another start cursor");
        compare(where, rest(again_, cancel, most_ - place), rounds[round], place);
        if (round + 1 == rounds_ || rounds[round].size() == most_) continue;
        again_.open("");
        compare(where + ", next round", rest(again_, cancel, most_), rounds[round + 1], 0);
      }
  }

  broch::Host host_;
  broch::ChildDataFlow flow_, again_;
  uint64_t rounds_, most_;
  bool by_index_, done_ = false;
  std::ofstream trace_;
};

// Opens "dataflow" at each of "cursors", which are not its own, and writes what it says of them.
// Yields one point.
class Damaged final : public broch::DataFlow {
 public:
  explicit Damaged(const broch::Host& host) : host_(host), flow_(host, "/dataflow") {
    const broch::Config config(host);
    cursors_ = config.strings("/cursors");
    trace_.open(config.string("/trace"));
  }
  void reset_state() override { flow_.reset_state(); }
  void open(const std::string&) override {}
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (std::exchange(done_, true)) return false;
    trace_ << "round\n";
    for (const std::string& cursor : cursors_) trace_ << outcome(cursor, cancel) << "\n";
    trace_.flush();
    point.add(std::vector<float>{1}, {1});
    return true;
  }

 private:
  std::string outcome(const std::string& cursor, const broch::Cancel& cancel) {
    try {
      flow_.open(cursor);
      broch::Point point(host_);
      uint64_t points = 0;
      for (; points < 20; ++points) {
        point.clear();
        if (!flow_.next(cancel, point)) break;
      }
      return std::to_string(points) + " points";
    } catch (const broch::Error& error) {
      std::string words = error.what();
      std::ranges::replace(words, '\n', ' ');
      return words;
    }
  }

  broch::Host host_;
  broch::ChildDataFlow flow_;
  std::vector<std::string> cursors_;
  std::ofstream trace_;
  bool done_ = false;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Numbers>("test.numbers", "dataflow", "1.0.0", "Known points.",
                                           R"({
  "type": "object", "properties": {
    "count": {"type": "integer"}, "first": {"type": "integer", "default": 0},
    "stream": {"type": "boolean", "default": false}, "same": {"type": "boolean", "default": false},
    "named": {"type": "boolean", "default": false}
  }, "required": ["count"], "additionalProperties": false})"),
                 broch::component<Examiner>("test.examiner", "dataflow", "1.0.0",
                                            "Reads in all ways.", R"({
  "type": "object", "properties": {
    "dataflow": {"x-broch-component": "dataflow"}, "again": {"x-broch-component": "dataflow"},
    "rounds": {"type": "integer", "default": 3}, "most": {"type": "integer", "default": 60},
    "by_index": {"type": "boolean", "default": false}, "trace": {"type": "string"}
  }, "required": ["dataflow", "again", "trace"], "additionalProperties": false})"),
                 broch::component<Damaged>("test.damaged", "dataflow", "1.0.0",
                                           "Opens at cursors that are damaged.", R"({
  "type": "object", "properties": {
    "dataflow": {"x-broch-component": "dataflow"}, "trace": {"type": "string"},
    "cursors": {"type": "array", "items": {"type": "string"}}
  }, "required": ["dataflow", "trace", "cursors"], "additionalProperties": false})"))
