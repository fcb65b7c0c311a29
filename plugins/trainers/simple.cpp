// simple.cpp: one tower, one cost, one update per step. tensorpack: `SimpleTrainer`, and
// `QueueInputTrainer`, whose data comes through a queue.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::vector<std::string> devices;

  static constexpr auto schema = broch::options(
      broch::option("devices", &Options::devices,
                    "The device of the only tower: cpu:N, cuda:N or auto:N. For several "
                    "towers, use a trainer such as sync-parameter-server.")
          .min_items(1)
          .max_items(1)
          .pattern("^(cpu|cuda|auto)(:[0-9]{1,4})?$")
          .by_default("cpu:0"));
};

class Simple final : public broch::Trainer {
 public:
  Simple(const broch::Host& host, const Options& options)
      : host_(host), device_(options.devices.at(0)) {}

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

}  // namespace

BROCH_COMPONENTS(
    broch::component<Simple>("broch.trainer.simple", "trainer", "1.0.0",
                             "One tower, one cost, one update per step.", Options::schema,
                             broch::needs("model", "input"),
                             broch::default_input("broch.input_source.feed")),
    broch::component<Simple>("broch.trainer.queue-input", "trainer", "1.0.0",
                             "The same as the trainer simple, but a dataflow gets a queue instead "
                             "of a feed (tensorpack: QueueInputTrainer).",
                             Options::schema, broch::needs("model", "input"),
                             broch::requires_input("broch.input_source.queue")))
