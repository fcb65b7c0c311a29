// lengths.cpp: a dataflow whose points have as many rows as a list says, over and over.
#include <broch/broch.hpp>

namespace {

class Lengths final : public broch::DataFlow {
 public:
  explicit Lengths(const broch::Host& host) {
    const broch::Config config(host);
    rows_ = config.integers("/rows");
    size_ = config.integer("/size");
    columns_ = config.integer("/columns");
  }

  void open(const std::string& cursor) override { next_ = cursor.empty() ? 0 : std::stoll(cursor); }

  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    if (next_ == size_) return false;
    int64_t shape[2] = {rows_[static_cast<size_t>(next_) % rows_.size()], columns_};
    elements_.assign(static_cast<size_t>(shape[0] * columns_) + 1, 0);
    for (size_t i = 0; i < elements_.size(); ++i) elements_[i] = element(i);
    point.add(broch::dl_view(elements_.data(), {BROCH_DL_FLOAT, 32, 1}, shape, 2), "x");
    point.set_cursor(std::to_string(++next_));
    return true;
  }

  std::optional<int64_t> size() override { return size_; }

 private:
  // In [-1, 1), another one in each point.
  float element(size_t i) const {
    const uint32_t mixed =
        (static_cast<uint32_t>(next_) * 1021 + static_cast<uint32_t>(i)) * 2654435761u;
    return static_cast<float>(mixed >> 8) / float(1 << 23) - 1;
  }

  std::vector<int64_t> rows_;
  std::vector<float> elements_;
  int64_t size_, columns_, next_ = 0;
};

}  // namespace

BROCH_DATAFLOW(Lengths, "conformance.lengths", "1.0.0", "Points with given numbers of rows.",
               R"({
  "type": "object",
  "properties": {
    "rows": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
    "size": {"type": "integer", "minimum": 1},
    "columns": {"type": "integer", "minimum": 1, "default": 4}
  },
  "required": ["rows", "size"],
  "additionalProperties": false
})")
