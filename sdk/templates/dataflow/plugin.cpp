// @FILE@.cpp: a dataflow that produces the points of a sine wave; each point is one number.
#include <broch/broch.hpp>
#include <cmath>

namespace {

class @CLASS@ final : public broch::DataFlow {
 public:
  explicit @CLASS@(const broch::Host& host)
      : size_(broch::Config(host).integer("/size")),
        period_(broch::Config(host).number("/period")) {}

  // The cursor of a point is its index. An empty cursor: start from the beginning.
  void open(const std::string& cursor) override {
    index_ = cursor.empty() ? 0 : std::stoll(cursor) + 1;
  }
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    if (index_ >= size_) return false;
    const double angle = 6.283185307179586 * double(index_) / period_;
    point.add(std::vector<float>{float(std::sin(angle))}, {});
    point.set_cursor(std::to_string(index_++));
    return true;
  }
  std::optional<int64_t> size() override { return size_; }

 private:
  int64_t size_, index_ = 0;
  double period_;
};

}  // namespace

BROCH_DATAFLOW(@CLASS@, "@ID@", "0.1.0", "The points of a sine wave.", R"({
  "type": "object",
  "properties": {
    "size": {"type": "integer", "minimum": 1, "default": 10, "description": "Points."},
    "period": {"type": "number", "exclusiveMinimum": 0, "default": 20, "description": "Points a period."}
  },
  "additionalProperties": false
})")
