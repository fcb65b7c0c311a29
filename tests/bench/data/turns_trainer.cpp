// turns_trainer.cpp: a trainer that only takes data points, for the benchmarks of data. It is a
// contender of ../README.md: a step is one data point (a batch).
#include <broch/broch.hpp>

#include "turns.hpp"

namespace {

class Turns final : public broch::SteppingTrainer {
 public:
  explicit Turns(const broch::Host& host) : host_(host), point_(host) {}

  void setup_graph() override {
    input_.emplace(host_);
    input_->set_towers(1);
  }

  broch_status run_step() override {
    if (!begun_ && !turns_.ready()) return BROCH_STOP;
    begun_ = true;
    const broch_status status = input_->next(0, point_);
    if (status != BROCH_OK) return status;
    if (turns_.is_last()) turns_.set_cost(elements(point_.view(0)));
    return turns_.step_done() ? BROCH_OK : BROCH_STOP;
  }

 private:
  static double elements(const broch_dl_tensor& view) {
    return double(broch::element_count(view.shape, size_t(view.ndim)));
  }

  broch::Host host_;
  broch::Point point_;
  std::optional<broch::RunInput> input_;
  broch::bench::Turns turns_;
  bool begun_ = false;
};

}  // namespace

BROCH_TRAINER(Turns, "bench.data-turns", "1.0.0", "Takes data points on demand and times them.",
              broch::needs("input"))
