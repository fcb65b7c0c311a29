// recorder.cpp: an input source that writes down the points that are taken from another one, and a
// transform that draws random numbers.
#include <broch/broch.hpp>
#include <cmath>
#include <fstream>

namespace {

// All numbers of the first component, of float32.
std::vector<float> numbers_of(const broch::PointReader& point) {
  const broch_dl_tensor view = point.view(0);
  int64_t elements = 1;
  for (int32_t i = 0; i < view.ndim; ++i) elements *= view.shape[i];
  const auto* const begin =
      reinterpret_cast<const float*>(static_cast<const char*>(view.data) + view.byte_offset);
  return {begin, begin + elements};
}

struct RecorderOptions {
  broch::ChildInputSource input;
  std::string file;

  static constexpr auto schema = broch::options(
      broch::option("input", &RecorderOptions::input),
      broch::option("file", &RecorderOptions::file, "Rank R writes FILE.R, a line per point."));
};

class Recorder final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  Recorder(const broch::Host& host, const RecorderOptions& options)
      : input_(options.input),
        point_(host),
        lines_(options.file + "." + std::to_string(broch::Dist(host).rank())) {}

  void setup(const broch_input_spec* inputs, uint32_t n) override { input_.setup(inputs, n); }
  void set_towers(uint32_t n) override { input_.set_towers(n); }
  void reset_state() override { input_.reset_state(); }
  void resume(const std::vector<std::string>& cursors) override { input_.resume(cursors); }
  bool next(uint32_t tower, const broch::Cancel& cancel, broch::PointWriter& point) override {
    point_.clear();
    if (!input_.next(tower, cancel, point_)) return false;
    for (const float number : numbers_of(point_)) lines_ << number << ' ';
    lines_ << std::endl;  // a rank may be killed
    point_.move_to(point);
    return true;
  }
  std::optional<int64_t> size() override { return input_.size(); }
  void stop() override { input_.stop(); }

 private:
  broch::ChildInputSource input_;
  broch::Point point_;
  std::ofstream lines_;
};

// Adds sixteenths below 1, so that sums of few numbers are exact in float32.
class Jitter final : public broch::Transform {
 public:
  explicit Jitter(const broch::Host&) {}
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    const broch_dl_tensor view = in.view(0);
    auto* to = static_cast<float*>(out.allocate(view.dtype, view.shape, size_t(view.ndim)));
    for (const float number : numbers_of(in)) *to++ = number + float(draws.below(16)) / 16;
  }
};

}  // namespace

BROCH_COMPONENTS(broch::component<Recorder>("test.recorder", "input_source", "1.0.0",
                                            "Writes points down.", RecorderOptions::schema),
                 broch::component<Jitter>("test.jitter", "transform", "1.0.0",
                                          "Adds a random number."))
