// two_moons.cpp: points of two half circles that reach into each other, with the number of theirs.
#include <broch/broch.hpp>
#include <cmath>

class TwoMoons final : public broch::DataFlow {
 public:
  explicit TwoMoons(const broch::Host& host)
      : size_(broch::Config(host).integer("/size")), noise_(broch::Config(host).number("/noise")) {}

  void open(const std::string& cursor) override {
    index_ = cursor.empty() ? 0 : std::stoll(cursor) + 1;
  }
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    if (index_ >= size_) return false;
    const int64_t moon = index_ % 2;
    const double angle = 3.14159265 * unit(3 * index_);
    const double x = moon ? 1 - std::cos(angle) : std::cos(angle);
    const double y = moon ? 0.5 - std::sin(angle) : std::sin(angle);
    point.add(std::vector<float>{float(x + noise_ * (unit(3 * index_ + 1) - 0.5)),
                                 float(y + noise_ * (unit(3 * index_ + 2) - 0.5))},
              {2}, "position");
    point.add(std::vector<int64_t>{moon}, {}, "moon");
    point.set_cursor(std::to_string(index_++));
    return true;
  }
  std::optional<int64_t> size() override { return size_; }

 private:
  // A number in [0, 1) for each k: the golden ratio's multiples are spread evenly.
  static double unit(int64_t k) {
    return std::fmod(0.6180339887498949 * double(k * k + k + 1), 1.0);
  }

  int64_t size_, index_ = 0;
  double noise_;
};

BROCH_DATAFLOW(TwoMoons, "net.outsider.two-moons", "1.0.0", "Points of two half circles.", R"({
  "type": "object",
  "properties": {
    "size": {"type": "integer", "minimum": 2, "default": 200},
    "noise": {"type": "number", "minimum": 0, "default": 0.2}
  },
  "additionalProperties": false})")
