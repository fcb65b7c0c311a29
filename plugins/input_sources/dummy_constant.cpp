// dummy_constant.cpp: the same zeros in every step, to measure a trainer without its data.
// tensorpack: `DummyConstantInput`.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::vector<std::vector<int64_t>> shapes;

  static constexpr auto schema =
      broch::options(broch::option("shapes", &Options::shapes,
                                   "One shape per input, including the batch dimension.")
                         .minimum(0));
};

class DummyConstant final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  DummyConstant(const broch::Host& host, const Options& options) : host_(host) {
    for (const std::vector<int64_t>& shape : options.shapes) components_.push_back({{}, shape, {}});
  }

  void setup(const broch_input_spec* inputs, uint32_t n) override {
    if (n != components_.size())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "the model has " + std::to_string(n) + " inputs, shapes lists " +
                             std::to_string(components_.size()) + "; give one shape per input");
    for (uint32_t i = 0; i < n; ++i) {
      Component& c = components_[i];
      c.type = broch::dl_type(inputs[i].dtype);
      size_t bytes = c.type.bits / 8;
      for (const int64_t extent : c.shape) bytes *= size_t(extent);
      c.bytes.assign(bytes, 0);
    }
    host_.warning("feeds constant zeros: use it for measuring only");
  }

  void resume(const std::vector<std::string>&) override {}

  bool next(uint32_t, const broch::Cancel&, broch::PointWriter& point) override {
    for (Component& c : components_)
      point.add(broch::dl_view(c.bytes.data(), c.type, c.shape.data(), int32_t(c.shape.size())));
    point.set_cursor("0");
    return true;
  }

 private:
  struct Component {
    broch_dl_type type;
    std::vector<int64_t> shape;
    std::vector<char> bytes;
  };
  broch::Host host_;
  std::vector<Component> components_;
};

}  // namespace

BROCH_INPUT_SOURCE(DummyConstant, "broch.input_source.dummy-constant", "1.0.0",
                   "Feeds the same zeros in every step, to measure a trainer without data.",
                   Options::schema)
