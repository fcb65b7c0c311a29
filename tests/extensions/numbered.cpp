// numbered.cpp: an input source whose points are numbers: 1, 2, … for the first tower, 101, 102, …
// for the second one.
#include <broch/broch.hpp>
#include <broch/cpp/tensor_input.hpp>

namespace {

struct Options {
  uint32_t size;

  static constexpr auto schema = broch::options(
      broch::option("size", &Options::size, "Points of each tower.").by_default(100));
};

class Numbered final : public broch::TensorInput {
 public:
  explicit Numbered(const Options& options) : size_(options.size) {}

  bool tensors(uint64_t number, uint32_t tower, broch::PointWriter& point) override {
    if (number == size_) return false;
    point.add(std::vector<float>{float(number + 1 + 100 * tower)}, {1});
    return true;
  }

 private:
  uint32_t size_;
};

}  // namespace

BROCH_INPUT_SOURCE(Numbered, "test.numbered", "1.0.0", "Counts the points of each tower.",
                   Options::schema)
