// batch.cpp: stacks consecutive data points of a dataflow along a new first dimension. tensorpack:
// `BatchData`.
//
// The cursor of a batch is the cursor of its last point, so a resumed run continues after it.
#include <broch/broch.hpp>
#include <cstring>

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  int64_t batch_size;
  bool remainder;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow to batch."),
      broch::option("batch_size", &Options::batch_size, "Number of data points per batch.")
          .minimum(1),
      broch::option("remainder", &Options::remainder, "Whether to yield a smaller last batch, too.")
          .by_default(false));
};

class Batch final : public broch::DataFlow {
 public:
  Batch(const broch::Host& host, const Options& options)
      : child_(options.dataflow),
        part_(host),
        batch_size_(options.batch_size),
        remainder_(options.remainder) {}

  void reset_state() override { child_.reset_state(); }
  void open(const std::string& cursor) override { child_.open(cursor); }
  std::optional<std::string> start_cursor() override { return child_.start_cursor(); }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    components_.clear();
    int64_t count = 0;
    std::string cursor;
    while (count < batch_size_) {
      part_.clear();
      if (!child_.next(cancel, part_)) break;
      append(count++);
      cursor = part_.cursor();
    }
    if (count == 0 || (count < batch_size_ && !remainder_)) return false;
    write(point, count);
    if (!cursor.empty()) point.set_cursor(cursor);
    return true;
  }

  std::optional<int64_t> size() override {
    const std::optional<int64_t> points = child_.size();
    if (!points) return std::nullopt;
    return remainder_ ? (*points + batch_size_ - 1) / batch_size_ : *points / batch_size_;
  }

 private:
  struct Component {
    std::string name;
    bool named = false;
    broch_dl_type type{};
    std::vector<int64_t> shape;  // of one data point
    std::vector<char> bytes;
  };

  static size_t bytes_of(const broch_dl_tensor& view) {
    size_t bytes = view.dtype.bits / 8;
    for (int32_t i = 0; i < view.ndim; ++i) bytes *= size_t(view.shape[i]);
    return bytes;
  }

  // Adds part_ as row `count`. All points of a batch must agree in the number, dtypes and shapes of
  // their components.
  void append(int64_t count) {
    const uint32_t n = part_.size();
    if (count == 0) {
      components_.resize(n);
      for (uint32_t i = 0; i < n; ++i) start(components_[i], i);
    }
    if (n != components_.size())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "point " + std::to_string(count) + " of a batch has " + std::to_string(n) +
                             " components, the first one " + std::to_string(components_.size()));
    for (uint32_t i = 0; i < n; ++i) copy(components_[i], part_.view(i), i, count);
  }

  void start(Component& component, uint32_t index) {
    const broch_dl_tensor view = part_.view(index);
    if (const char* name = part_.name(index)) component.name = name, component.named = true;
    component.type = view.dtype;
    component.shape.assign(view.shape, view.shape + view.ndim);
    component.bytes.reserve(bytes_of(view) * size_t(batch_size_));
  }

  void copy(Component& component, const broch_dl_tensor& view, uint32_t index, int64_t count) {
    const bool same_type = std::memcmp(&component.type, &view.dtype, sizeof view.dtype) == 0;
    const std::vector<int64_t> shape(view.shape, view.shape + view.ndim);
    if (!same_type || shape != component.shape)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "component " + std::to_string(index) + " of point " +
                             std::to_string(count) +
                             " has another dtype or shape than in the first point of the batch; "
                             "points of one batch must agree");
    if (view.strides)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "component " + std::to_string(index) + " is not compact");
    const char* data = static_cast<const char*>(view.data) + view.byte_offset;
    component.bytes.insert(component.bytes.end(), data, data + bytes_of(view));
  }

  void write(broch::PointWriter& point, int64_t count) {
    for (Component& component : components_) {
      std::vector<int64_t> shape{count};
      shape.insert(shape.end(), component.shape.begin(), component.shape.end());
      point.add(broch::dl_view(component.bytes.data(), component.type, shape.data(),
                               int32_t(shape.size())),
                component.named ? component.name.c_str() : nullptr);
    }
  }

  broch::ChildDataFlow child_;
  broch::Point part_;
  int64_t batch_size_;
  bool remainder_;
  std::vector<Component> components_;
};

}  // namespace

BROCH_DATAFLOW(Batch, "broch.dataflow.batch", "1.0.0",
               "Stacks consecutive data points along a new first dimension.", Options::schema)
