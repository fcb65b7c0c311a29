// simple.cpp: one tower, one cost, one update a step. Seed terms: SimpleTrainer (M24, M36), and
// QueueInputTrainer (M26), whose data come through a queue.
#include "data_parallel.hpp"

namespace {

class Simple final : public broch::Trainer {
 public:
  explicit Simple(const broch::Host& host)
      : host_(host), devices_(broch::Config(host).strings("/devices")) {
    if (devices_.size() != 1)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "the simple trainer has exactly one tower, devices lists " +
                             std::to_string(devices_.size()) + "; use a multi-tower trainer");
  }

  void setup_graph() override {
    broch::Plan plan(host_, "train");
    broch::Plan::TowerOptions of;
    of.device = devices_[0];
    const broch_node tower = plan.tower({plan.input()}, of);
    plan.apply(plan.process(plan.gradients(tower)));
    plan.seal();
  }

 private:
  broch::Host host_;
  std::vector<std::string> devices_;
};

constexpr broch_component kComponents[] = {
    broch::component<Simple>("broch.trainer.simple", "trainer"),
    broch::component<Simple>("broch.trainer.queue-input", "trainer")};

}  // namespace

// clang-format off
#define OPTIONS \
  R"({"type": "object", "properties": {)" BROCH_DEVICES_SCHEMA R"(}, "additionalProperties": false})"

BROCH_PLUGIN(kComponents, "{\"components\": ["
  BROCH_META("broch.trainer.simple", "trainer", "1.0.0", "One tower, one cost, one update a step.",
             OPTIONS) ", "
  BROCH_META("broch.trainer.queue-input", "trainer", "1.0.0",
             "The simple trainer on data that a queue reads ahead.", OPTIONS) "]}")
// clang-format on
