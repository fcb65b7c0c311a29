// @FILE@.cpp: an input source that fills every input of the model with noise.
#include <broch/broch.hpp>

namespace {

struct Options {
  int64_t batch;
  double high;

  static constexpr auto schema = broch::options(
      broch::option("batch", &Options::batch, "For unknown dimensions.").minimum(1).by_default(8),
      broch::option("high", &Options::high, "Values lie in [0, high).").above(0).by_default(1));
};

class @CLASS@ final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  explicit @CLASS@(const Options& options) : options_(options) {}

  void setup(const broch_input_spec* inputs, uint32_t n) override {
    for (uint32_t i = 0; i < n; ++i) {
      if (inputs[i].dtype != BROCH_FLOAT32)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           std::string("input ") + inputs[i].name + " is not float32");
      std::vector<int64_t>& shape = shapes_.emplace_back();
      for (uint32_t d = 0; d < inputs[i].rank; ++d)
        shape.push_back(inputs[i].shape[d] < 0 ? options_.batch : inputs[i].shape[d]);
    }
  }

  // Point number k depends on k only, so k is its cursor. Towers take the points in turn.
  void reset_state() override { index_ = 0; }
  void resume(const std::vector<std::string>& cursors) override {
    index_ = cursors.empty() || cursors.back().empty() ? 0 : std::stoull(cursors.back()) + 1;
  }
  bool next(uint32_t, const broch::Cancel&, broch::PointWriter& point) override {
    uint64_t state = index_ + 1;
    for (const std::vector<int64_t>& shape : shapes_) point.add(noise(shape, state), shape);
    point.set_cursor(std::to_string(index_++));
    return true;
  }

 private:
  // Uniform numbers in [0, high) from a linear congruential generator (Knuth's MMIX).
  std::vector<float> noise(const std::vector<int64_t>& shape, uint64_t& state) const {
    size_t elements = 1;
    for (const int64_t extent : shape) elements *= size_t(extent);
    std::vector<float> values(elements);
    for (float& value : values) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = float(options_.high * double(state >> 11) * 0x1p-53);
    }
    return values;
  }

  Options options_;
  std::vector<std::vector<int64_t>> shapes_;
  uint64_t index_ = 0;
};

}  // namespace

BROCH_INPUT_SOURCE(@CLASS@, "@ID@", "0.1.0", "Fills every input of the model with noise.",
                   Options::schema)
