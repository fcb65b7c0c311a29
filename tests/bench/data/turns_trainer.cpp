// turns_trainer.cpp: for the benchmarks of data, a trainer that only takes data points, and a
// transform that does nothing. The trainer is a contender of ../README.md: a step is one data point
// (a batch).
#include <broch/broch.hpp>
#include <numeric>

#include "turns.hpp"

namespace {

template <class T>
double mean_of(const broch_dl_tensor& view) {
  const auto values = broch::view_as<const T>(view);
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

// For example "float32 64x3x224x224 -0.12".
std::string describe(const broch_dl_tensor& view) {
  std::ostringstream text;
  const broch_dtype dtype = broch::dtype_of(view.dtype);
  text << broch::dtype_name(dtype) << ' ';
  for (int32_t i = 0; i < view.ndim; ++i) text << (i ? "x" : "") << view.shape[i];
  text << ' ' << std::setprecision(9)
       << (dtype == BROCH_INT64 ? mean_of<int64_t>(view) : mean_of<float>(view));
  return text.str();
}

class Turns final : public broch::SteppingTrainer {
 public:
  explicit Turns(const broch::Host& host) : host_(host), point_(host) {
    turns_.set_describe([this] {
      if (input_->next(0, point_) != BROCH_OK)
        throw broch::Error(BROCH_E_ABORTED, "found no further data point, expected endless data");
      return describe(point_.view(0));
    });
  }

  void setup_graph() override {
    input_.emplace(host_);
    input_->set_towers(1);
  }

  broch_status run_step() override {
    if (!begun_ && !turns_.ready()) return BROCH_STOP;
    begun_ = true;
    const broch_status status = input_->next(0, point_);
    if (status != BROCH_OK) return status;
    return turns_.step_done() ? BROCH_OK : BROCH_STOP;
  }

 private:
  broch::Host host_;
  broch::Point point_;
  std::optional<broch::RunInput> input_;
  broch::bench::Turns turns_;
  bool begun_ = false;
};

class Nothing final : public broch::Transform {
 public:
  explicit Nothing(const broch::Host&) {}
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws) override {
    for (uint32_t i = 0; i < in.size(); ++i) in.move(i, out);
  }
};

}  // namespace

BROCH_COMPONENTS(broch::component<Turns>("bench.data-turns", "trainer", "1.0.0",
                                         "Takes data points on demand and times them.",
                                         broch::needs("input")),
                 broch::component<Nothing>("bench.nothing", "transform", "1.0.0",
                                           "Passes each point on."))
