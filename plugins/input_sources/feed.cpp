// feed.cpp: takes one data point per hooked run directly from a dataflow. tensorpack: `FeedInput`.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  bool infinite;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow that yields the data points."),
      broch::option("infinite", &Options::infinite,
                    "true: start the next round at the end of a round; false: the end of the data "
                    "ends training.")
          .by_default(true));
};

class Feed final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = BROCH_INPUT_FEED;

  explicit Feed(const Options& options) : child_(options.dataflow), infinite_(options.infinite) {}

  void setup(const broch_input_spec*, uint32_t) override { child_.reset_state(); }
  void reset_state() override { open(""); }
  void resume(const std::vector<std::string>& cursors) override {
    open(cursors.empty() ? "" : cursors.back());
  }

  bool next(uint32_t, const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (take(cancel, point)) return true;
    if (!infinite_) return false;
    if (!fresh_) {
      open("");
      if (take(cancel, point)) return true;
    }
    throw broch::Error(
        BROCH_E_INVALID_ARGUMENT,
        "the dataflow yields no data points; it needs more data, or a smaller batch");
  }

  std::optional<int64_t> size() override { return child_.size(); }

 private:
  bool take(const broch::Cancel& cancel, const broch::PointWriter& point) {
    if (!child_.next(cancel, point)) return false;
    fresh_ = false;
    return true;
  }
  void open(const std::string& cursor) {
    child_.open(cursor);
    fresh_ = cursor.empty();
  }

  broch::ChildDataFlow child_;
  bool infinite_;
  bool fresh_ = true;  // nothing yielded since the dataflow was opened at its beginning
};

}  // namespace

BROCH_INPUT_SOURCE(Feed, "broch.input_source.feed", "1.0.0",
                   "Takes one data point per hooked run directly from a dataflow.", Options::schema)
