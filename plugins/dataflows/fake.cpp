// fake.cpp: random or constant data points, for tests and benchmarks. tensorpack: `FakeData`.
//
// Point k depends only on the seed and k; so all rounds are the same.
#include <broch/broch.hpp>
#include <cmath>

namespace {

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
      broch::option("dtype", &ComponentOptions::dtype, "The dtype of the elements.")
          .one_of("float32", "int64")
          .by_default("float32"),
      broch::option("low", &ComponentOptions::low, "Lower bound of the values.").by_default(0),
      broch::option("high", &ComponentOptions::high, "Upper bound of the values, exclusive.")
          .by_default(1),
      broch::option(
          "name", &ComponentOptions::name,
          "Name of the component; null: it is matched with the model's inputs by order."));
};

struct Options {
  std::vector<ComponentOptions> components;
  int64_t size;
  bool random;
  int64_t seed;

  static constexpr auto schema = broch::options(
      broch::option("components", &Options::components, "The components of a data point.")
          .min_items(1),
      broch::option("size", &Options::size, "Number of data points in a round.")
          .minimum(0)
          .by_default(1000),
      broch::option("random", &Options::random,
                    "true: random values; false: all values are equal to low.")
          .by_default(true),
      broch::option("seed", &Options::seed,
                    "The seed of the values. It does not depend on the run's seed.")
          .by_default(0));
};

class Fake final : public broch::Indexed {
 public:
  explicit Fake(const Options& options)
      : size_(options.size), seed_(uint64_t(options.seed)), random_(options.random) {
    for (size_t i = 0; i < options.components.size(); ++i)
      components_.push_back(
          component_of(options.components[i], "/components/" + std::to_string(i)));
  }

  std::optional<int64_t> size() override { return size_; }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= uint64_t(size_)) return false;
    for (size_t i = 0; i < components_.size(); ++i) {
      const Component& c = components_[i];
      const uint64_t key = broch::mixed(seed_, position.index << 8 | i);
      const char* const name = c.name.empty() ? nullptr : c.name.c_str();
      if (c.integer)
        fill(point.allocate<int64_t>(c.shape, name), c, key);
      else
        fill(point.allocate<float>(c.shape, name), c, key);
    }
    return true;
  }

 private:
  struct Component {
    std::vector<int64_t> shape;
    std::string name;
    bool integer;
    double low, high;
    size_t elements;
  };

  // at: the JSON pointer of the options, for messages.
  static Component component_of(const ComponentOptions& options, const std::string& at) {
    return {options.shape, options.name.value_or(""), options.dtype == Dtype::int64, options.low,
            options.high,  count(options.shape, at)};
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

  // Uniform in [low, high). Integers are rounded down.
  template <class T>
  void fill(T* values, const Component& c, uint64_t key) const {
    const bool can_reach_high = random_ && c.low < c.high;
    for (size_t i = 0; i < c.elements; ++i) {
      const double unit = random_ ? broch::Draws(key + i).uniform() : 0;
      const double value = c.low + unit * (c.high - c.low);
      values[i] = T(c.integer ? std::floor(value) : value);
      // The sum, or the conversion to T, has rounded up.
      if (can_reach_high && double(values[i]) >= c.high) values[i] = before(values[i]);
    }
  }
  static int64_t before(int64_t value) { return value - 1; }
  static float before(float value) { return std::nextafter(value, -INFINITY); }

  std::vector<Component> components_;
  int64_t size_;
  uint64_t seed_;
  bool random_;
};

}  // namespace

BROCH_DATAFLOW(Fake, "broch.dataflow.fake", "1.1.0",
               "Yields random or constant data points of given shapes.", Options::schema)
