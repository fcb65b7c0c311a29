// repeat.cpp: repeats a dataflow several times, or for ever. tensorpack: `RepeatedData`.
//
// The cursor is "ROUND:" and the cursor of the child, so a resumed run is in the same round.
#include <broch/broch.hpp>

namespace {

class Repeat final : public broch::DataFlow {
 public:
  explicit Repeat(const broch::Host& host) : host_(host), child_(host, "/dataflow"), part_(host) {
    const broch::Config config(host);
    times_ = config.has("/times") ? config.integer("/times") : -1;
  }

  void reset_state() override { child_.reset_state(); }

  void open(const std::string& cursor) override {
    round_ = 0;
    yielded_ = false;
    if (cursor.empty()) return child_.open("");
    const size_t colon = cursor.find(':');
    if (colon == std::string::npos)
      throw broch::Error(BROCH_E_DATA_LOSS, "'" + cursor + "' is no cursor of repeat");
    round_ = std::stoll(cursor.substr(0, colon));
    yielded_ = true;
    child_.open(cursor.substr(colon + 1));
  }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    while (times_ < 0 || round_ < times_) {
      part_.clear();
      if (child_.next(cancel.c(), part_.handle())) {
        yielded_ = true;
        const std::string cursor = part_.cursor();
        part_.move_to(point.handle());
        if (!cursor.empty()) point.set_cursor(std::to_string(round_) + ":" + cursor);
        return true;
      }
      if (!yielded_)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           "the dataflow to repeat yielded nothing in a whole round");
      ++round_;
      yielded_ = false;
      if (times_ < 0 || round_ < times_) child_.open("");
    }
    return false;
  }

  std::optional<int64_t> size() override {
    const std::optional<int64_t> points = child_.size();
    if (!points || times_ < 0) return std::nullopt;
    return *points * times_;
  }

 private:
  broch::Host host_;
  broch::ChildDataFlow child_;
  broch::Point part_;
  int64_t times_;      // -1: for ever
  int64_t round_ = 0;  // rounds that are finished
  bool yielded_ = false;
};

}  // namespace

BROCH_DATAFLOW(Repeat, "broch.dataflow.repeat", "1.0.0",
               "Repeats a dataflow several times, or endlessly.", R"({
  "type": "object",
  "properties": {
    "dataflow": {"x-broch-component": "dataflow", "description": "The dataflow to repeat."},
    "times": {"type": ["integer", "null"], "minimum": 1, "default": null,
              "description": "Number of rounds; null: endless."}
  },
  "required": ["dataflow"],
  "additionalProperties": false
})")
