// dummy_constant.cpp: the same zeros in every step, to measure a trainer without its data. They are
// on the tower's device; each step copies them within the device, since a tower may write to its
// inputs. tensorpack: `DummyConstantInput`.
#include <broch/broch.hpp>
#include <cstring>
#include <map>

namespace {

struct Options {
  std::vector<std::vector<int64_t>> shapes;

  static constexpr auto schema =
      broch::options(broch::option("shapes", &Options::shapes,
                                   "One shape per input, including the batch dimension.")
                         .minimum(0));
};

// Zeros, and how they are passed on: read-only, and without a deleter, as they live as long as the
// source.
class Zeros {
 public:
  explicit Zeros(broch::Point&& point) : point_(std::move(point)) {
    for (uint32_t i = 0, n = point_.size(); i < n; ++i) {
      broch_dl_managed component{};
      component.version = {1, 0};
      component.flags = BROCH_DL_READ_ONLY;
      component.dl_tensor = point_.view(i);
      lent_.push_back(component);
    }
  }
  void add_to(broch::PointWriter& point) {
    for (broch_dl_managed& component : lent_) point.add(&component);
  }

 private:
  broch::Point point_;
  std::vector<broch_dl_managed> lent_;
};

class DummyConstant final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  DummyConstant(const broch::Host& host, const Options& options)
      : host_(host), shapes_(options.shapes) {}

  void setup(const broch_input_spec* inputs, uint32_t n) override {
    if (n != shapes_.size())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "the model has " + std::to_string(n) + " inputs, shapes lists " +
                             std::to_string(shapes_.size()) + "; give one shape per input");
    for (uint32_t i = 0; i < n; ++i) types_.push_back(broch::dl_type(inputs[i].dtype));
    host_.warning("feeds constant zeros: use it for measuring only");
  }

  void set_towers(uint32_t n) override { towers_ = n; }
  void resume(const std::vector<std::string>&) override {}

  bool next(uint32_t tower, const broch::Cancel&, broch::PointWriter& point) override {
    auto found = of_tower_.find(tower);
    if (found == of_tower_.end()) found = of_tower_.emplace(tower, Zeros(zeros(tower))).first;
    found->second.add_to(point);
    point.set_cursor("0");
    return true;
  }

 private:
  // For inference, which has no towers, they stay on the CPU.
  broch::Point zeros(uint32_t tower) const {
    broch::Point point(host_);
    broch::PointWriter writer = point.writer();
    for (size_t i = 0; i < shapes_.size(); ++i) {
      size_t bytes = types_[i].bits / 8;
      for (const int64_t extent : shapes_[i]) bytes *= size_t(extent);
      std::memset(writer.allocate(types_[i], shapes_[i].data(), shapes_[i].size()), 0, bytes);
    }
    if (tower < towers_) point.stage(tower);
    return point;
  }

  broch::Host host_;
  uint32_t towers_ = 0;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<broch_dl_type> types_;
  std::map<uint32_t, Zeros> of_tower_;
};

}  // namespace

BROCH_INPUT_SOURCE(DummyConstant, "broch.input_source.dummy-constant", "1.0.0",
                   "Feeds the same zeros in every step, to measure a trainer without data.",
                   Options::schema)
