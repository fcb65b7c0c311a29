// @FILE@.cpp: a dataflow with the points of a sine wave; each point is one number.
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

class @CLASS@ final : public broch::Indexed {
 public:
  explicit @CLASS@(const Options& options) : options_(options) {}

  std::optional<int64_t> size() override { return options_.size; }
  // Called on several threads at once, in any order. at.round counts the passes over the data.
  bool read(const broch::Position& at, const broch::Cancel&, broch::PointWriter& point) override {
    if (at.index >= uint64_t(options_.size)) return false;
    const double angle = 6.283185307179586 * double(at.index) / options_.period;
    *point.allocate<float>({}) = float(std::sin(angle));
    return true;
  }

 private:
  const Options options_;
};

}  // namespace

BROCH_DATAFLOW(@CLASS@, "@ID@", "0.1.0", "The points of a sine wave.", Options::schema)
