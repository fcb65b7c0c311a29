// sync_parameter_server.cpp: towers share one copy of the variables; the mean of their gradients is
// applied once. tensorpack: `SyncMultiGPUTrainerParameterServer`, `SyncMultiGPUTrainer`.
#include "data_parallel.hpp"

namespace {

using broch::Config;
using broch::Host;

class SyncParameterServer : public broch::Trainer {
 public:
  // ps_device "gpu": the variables are spread over the devices of the towers. "cpu": they are on
  // the CPU. null: "gpu" for one or two towers, otherwise "cpu".
  explicit SyncParameterServer(const Host& host)
      : host_(host), devices_(Config(host).strings("/devices")) {
    const Config config(host);
    on_cpu_ = config.has("/ps_device") ? config.string("/ps_device") == "cpu" : devices_.size() > 2;
  }

  void setup_graph() override {
    using namespace broch::trainers;
    const std::vector<std::string> variables =
        on_cpu_ ? std::vector<std::string>{"cpu:0"} : devices_;
    broch::Plan plan(host_, "train");
    const broch::Plan::Nodes towers = add_towers(plan, devices_, false, variables);
    plan.apply(plan.process(mean_gradients(plan, towers)));
    plan.seal();
  }

 private:
  Host host_;
  std::vector<std::string> devices_;
  bool on_cpu_;
};

constexpr broch_component kComponents[] = {
    broch::component<SyncParameterServer>("broch.trainer.sync-parameter-server", "trainer"),
    broch::component<SyncParameterServer>("broch.trainer.sync-multi-gpu", "trainer")};

}  // namespace

// clang-format off
#define OPTIONS(ps_device, initial) \
  R"({"type": "object", "properties": {)" BROCH_TOWERS_SCHEMA R"(,)" \
  R"( "ps_device": {)" ps_device R"(, "default": )" initial R"(,)" \
  R"( "description": "Where variables are stored. gpu: on the towers' devices, each variable where)" \
  R"( the fewest elements are so far; cpu: on the CPU; null: gpu for one or two towers, otherwise)" \
  R"( cpu."})" \
  R"(}, "additionalProperties": false})"

BROCH_PLUGIN(kComponents, "{\"components\": ["
  BROCH_META("broch.trainer.sync-parameter-server", "trainer", "1.0.0",
             "Towers share the variables; the mean of their gradients is applied once per step.",
             OPTIONS(R"("enum": ["cpu", "gpu", null])", "null")) ", "
  BROCH_META("broch.trainer.sync-multi-gpu", "trainer", "1.0.0",
             "The same as the trainer sync-parameter-server, but with ps_device gpu by default "
             "(tensorpack: SyncMultiGPUTrainer).",
             OPTIONS(R"("enum": ["cpu", "gpu", null])", R"("gpu")")) "]}")
// clang-format on
