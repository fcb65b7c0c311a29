// simple.cpp: one tower, one cost, one update per step. tensorpack: `SimpleTrainer`, and
// `QueueInputTrainer`, whose data comes through a queue.
#include <broch/broch.hpp>

namespace {

class Simple final : public broch::Trainer {
 public:
  explicit Simple(const broch::Host& host)
      : host_(host), device_(broch::Config(host).string("/devices/0")) {}

  void setup_graph() override {
    broch::Plan plan(host_, "train");
    broch::Plan::TowerOptions of;
    of.device = device_;
    const broch_node tower = plan.tower({plan.input()}, of);
    plan.apply(plan.process(plan.gradients(tower)));
    plan.seal();
  }

 private:
  broch::Host host_;
  std::string device_;
};

constexpr broch_component kComponents[] = {
    broch::component<Simple>("broch.trainer.simple", "trainer"),
    broch::component<Simple>("broch.trainer.queue-input", "trainer")};

}  // namespace

// clang-format off
#define OPTIONS \
  R"({"type": "object", "properties": {"devices": {"type": "array", "minItems": 1, "maxItems": 1,)" \
  R"( "items": {"type": "string", "pattern": "^(cpu|cuda)(:[0-9]{1,4})?$"}, "default": ["cpu:0"],)" \
  R"( "description": "The device of the only tower: cpu:N or cuda:N. For several towers, use a)" \
  R"( trainer such as sync-parameter-server."}}, "additionalProperties": false})"

BROCH_PLUGIN(kComponents, "{\"components\": ["
  BROCH_META("broch.trainer.simple", "trainer", "1.0.0", "One tower, one cost, one update per step.",
             OPTIONS) ", "
  BROCH_META("broch.trainer.queue-input", "trainer", "1.0.0",
             "The same as the trainer simple, but a dataflow gets a queue instead of a feed "
             "(tensorpack: QueueInputTrainer).", OPTIONS) "]}")
// clang-format on
