// @FILE@.cpp: a dataflow that produces the points of a sine wave; each point is one number.
#include <broch/broch.hpp>
#include <cmath>

namespace {

struct Options {
  int64_t size;
  double period;

  static constexpr auto schema = broch::options(
      broch::option("size", &Options::size, "Points.").minimum(1).by_default(10),
      broch::option("period", &Options::period, "Points a period.").above(0).by_default(20));
};

class @CLASS@ final : public broch::DataFlow {
 public:
  explicit @CLASS@(const Options& options) : options_(options) {}

  // The cursor of a point is its index. An empty cursor: start from the beginning.
  void open(const std::string& cursor) override {
    index_ = cursor.empty() ? 0 : std::stoll(cursor) + 1;
  }
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    if (index_ >= options_.size) return false;
    const double angle = 6.283185307179586 * double(index_) / options_.period;
    point.add(std::vector<float>{float(std::sin(angle))}, {});
    point.set_cursor(std::to_string(index_++));
    return true;
  }
  std::optional<int64_t> size() override { return options_.size; }

 private:
  Options options_;
  int64_t index_ = 0;
};

}  // namespace

BROCH_DATAFLOW(@CLASS@, "@ID@", "0.1.0", "The points of a sine wave.", Options::schema)
