// echo.cpp: hands out each point of a dataflow several times, for data that are slow to read.
#include <broch/broch.hpp>

class Echo final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = BROCH_INPUT_FEED;

  explicit Echo(const broch::Host& host)
      : child_(host, "/dataflow"), kept_(host), times_(broch::Config(host).integer("/times")) {}

  void setup(const broch_input_spec*, uint32_t) override { child_.reset_state(); }
  void reset_state() override {
    child_.open("");
    left_ = 0;
  }
  // What is left of a point's turns is forgotten: a resumed run goes on with the next point.
  void resume(const std::vector<std::string>& cursors) override {
    child_.open(cursors.empty() ? "" : cursors.back());
    left_ = 0;
  }
  bool next(uint32_t, const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (left_ == 0 && !take(cancel)) {
      child_.open("");
      if (!take(cancel)) throw broch::Error("the dataflow yields no point at all");
    }
    --left_;
    for (uint32_t i = 0; i < kept_.size(); ++i) point.add(kept_.view(i), kept_.name(i));
    point.set_cursor(kept_.cursor());
    return true;
  }
  std::optional<int64_t> size() override {
    const auto points = child_.size();
    return points ? std::optional<int64_t>(*points * times_) : std::nullopt;
  }

 private:
  bool take(const broch::Cancel& cancel) {
    kept_.clear();
    if (!child_.next(cancel, kept_)) return false;
    left_ = times_;
    return true;
  }

  broch::ChildDataFlow child_;
  broch::Point kept_;
  int64_t times_, left_ = 0;
};

BROCH_INPUT_SOURCE(Echo, "net.outsider.echo", "1.0.0", "Each point several times.", R"({
  "type": "object",
  "properties": {
    "dataflow": {"x-broch-component": "dataflow"},
    "times": {"type": "integer", "minimum": 1, "default": 2}
  },
  "required": ["dataflow"], "additionalProperties": false})")
