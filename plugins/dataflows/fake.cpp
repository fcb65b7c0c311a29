// fake.cpp: random or constant data points of given shapes, for benchmarks. tensorpack: `FakeData`.
//
// Point k depends only on the seed and k, so its cursor is k; -1 is before the first point.
#include <broch/broch.hpp>
#include <cmath>
#include <cstring>

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a hash of a counter.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

enum class Dtype { float32, int64 };

struct ComponentOptions {
  std::vector<int64_t> shape;
  Dtype dtype;
  double low, high;
  std::optional<std::string> name;

  static constexpr auto schema = broch::options(
      broch::option("shape", &ComponentOptions::shape,
                    "Shape in a data point, including the batch dimension if there is one.")
          .minimum(0),
      broch::option("dtype", &ComponentOptions::dtype)
          .one_of("float32", "int64")
          .by_default("float32"),
      broch::option("low", &ComponentOptions::low).by_default(0),
      broch::option("high", &ComponentOptions::high, "Upper bound of the values, exclusive.")
          .by_default(1),
      broch::option("name", &ComponentOptions::name, "Name of the model's input."));
};

struct Options {
  std::vector<ComponentOptions> components;
  int64_t size;
  bool random;
  int64_t seed;

  static constexpr auto schema = broch::options(
      broch::option("components", &Options::components).min_items(1),
      broch::option("size", &Options::size, "Number of data points.").minimum(0).by_default(1000),
      broch::option("random", &Options::random, "false: all values are equal to low.")
          .by_default(true),
      broch::option("seed", &Options::seed).by_default(0));
};

class Fake final : public broch::DataFlow {
 public:
  explicit Fake(const Options& options)
      : size_(options.size), seed_(uint64_t(options.seed)), random_(options.random) {
    for (size_t i = 0; i < options.components.size(); ++i)
      components_.push_back(
          component_of(options.components[i], "/components/" + std::to_string(i)));
  }

  void open(const std::string& cursor) override {
    index_ = cursor.empty() ? 0 : std::stoll(cursor) + 1;
  }

  std::optional<std::string> start_cursor() override { return std::to_string(index_ - 1); }

  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    if (index_ >= size_) return false;
    for (size_t i = 0; i < components_.size(); ++i) fill(point, components_[i], i);
    point.set_cursor(std::to_string(index_++));
    return true;
  }

  std::optional<int64_t> size() override { return size_; }

 private:
  struct Component {
    std::vector<int64_t> shape;
    std::string name;
    bool integer;
    double low, high;
    std::vector<char> bytes;
    size_t elements;
  };

  // at: the JSON pointer of the options, for messages.
  static Component component_of(const ComponentOptions& options, const std::string& at) {
    const bool integer = options.dtype == Dtype::int64;
    const size_t elements = count(options.shape, at);
    std::vector<char> bytes(elements * (integer ? 8 : 4));
    return {options.shape, options.name.value_or(""), integer, options.low, options.high, bytes,
            elements};
  }

  // Refuses sizes that no machine has, before the product overflows.
  static size_t count(const std::vector<int64_t>& shape, const std::string& at) {
    constexpr size_t kMost = size_t{1} << 30;
    size_t elements = 1;
    for (const int64_t extent : shape)
      if (__builtin_mul_overflow(elements, size_t(extent), &elements) || elements > kMost)
        throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED,
                           at + "/shape: more than 2^30 elements in a component");
    return elements;
  }

  // Uniform in [low, high). Integers are rounded down, so they are below high as well.
  void fill(broch::PointWriter& point, Component& c, size_t which) {
    const uint64_t key = random_ ? mix(seed_ ^ mix(uint64_t(index_) << 8 | which)) : 0;
    for (size_t i = 0; i < c.elements; ++i) {
      const double unit = random_ ? double(mix(key + i) >> 11) * 0x1p-53 : 0;
      const double value = c.low + unit * (c.high - c.low);
      if (c.integer) {
        const int64_t whole = int64_t(std::floor(value));
        std::memcpy(&c.bytes[i * 8], &whole, 8);
      } else {
        const float single = float(value);
        std::memcpy(&c.bytes[i * 4], &single, 4);
      }
    }
    const broch_dl_type type =
        c.integer ? broch_dl_type{BROCH_DL_INT, 64, 1} : broch_dl_type{BROCH_DL_FLOAT, 32, 1};
    point.add(broch::dl_view(c.bytes.data(), type, c.shape.data(), int32_t(c.shape.size())),
              c.name.empty() ? nullptr : c.name.c_str());
  }

  std::vector<Component> components_;
  int64_t size_, index_ = 0;
  uint64_t seed_;
  bool random_;
};

}  // namespace

BROCH_DATAFLOW(Fake, "broch.dataflow.fake", "1.0.0",
               "Yields random or constant data points of given shapes.", Options::schema)
