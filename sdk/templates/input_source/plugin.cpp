// @FILE@.cpp: an input source that fills every input of the model with noise.
#include <broch/broch.hpp>

namespace {

class @CLASS@ final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  explicit @CLASS@(const broch::Host& host)
      : batch_(broch::Config(host).integer("/batch")), high_(broch::Config(host).number("/high")) {}

  void setup(const broch_input_spec* inputs, uint32_t n) override {
    for (uint32_t i = 0; i < n; ++i) {
      if (inputs[i].dtype != BROCH_FLOAT32)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           std::string("input ") + inputs[i].name + " is not float32");
      std::vector<int64_t>& shape = shapes_.emplace_back();
      for (uint32_t d = 0; d < inputs[i].rank; ++d)
        shape.push_back(inputs[i].shape[d] < 0 ? batch_ : inputs[i].shape[d]);
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
      value = float(high_ * double(state >> 11) * 0x1p-53);
    }
    return values;
  }

  int64_t batch_;
  double high_;
  std::vector<std::vector<int64_t>> shapes_;
  uint64_t index_ = 0;
};

}  // namespace

BROCH_INPUT_SOURCE(@CLASS@, "@ID@", "0.1.0", "Fills every input of the model with noise.", R"({
  "type": "object",
  "properties": {
    "batch": {"type": "integer", "minimum": 1, "default": 8, "description": "For unknown dimensions."},
    "high": {"type": "number", "exclusiveMinimum": 0, "default": 1, "description": "Values lie in [0, high)."}
  },
  "additionalProperties": false
})")
