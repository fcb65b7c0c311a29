// sync_parameter_server.cpp: towers share one copy of the variables; the mean of their gradients is
// applied once. tensorpack: `SyncMultiGPUTrainerParameterServer`, `SyncMultiGPUTrainer`.
#include "data_parallel.hpp"

namespace {

enum class PsDevice { cpu, gpu };

struct Options : broch::trainers::TowersOptions {
  std::optional<PsDevice> ps_device;

  static constexpr auto kPsDevice =
      broch::option(
          "ps_device", &Options::ps_device,
          "Where variables are stored. gpu: on the towers' devices, each variable where the fewest "
          "elements are so far; cpu: on the CPU; null: gpu for one or two towers, otherwise cpu.")
          .one_of("cpu", "gpu");
  static constexpr auto schema = broch::options(TowersOptions::schema, kPsDevice);
  static constexpr auto gpu_schema =
      broch::options(TowersOptions::schema, kPsDevice.by_default("gpu"));
};

class SyncParameterServer : public broch::Trainer {
 public:
  SyncParameterServer(const broch::Host& host, const Options& options)
      : host_(host),
        devices_(options.devices),
        on_cpu_(options.ps_device ? options.ps_device == PsDevice::cpu : devices_.size() > 2) {}

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
  broch::Host host_;
  std::vector<std::string> devices_;
  bool on_cpu_;
};

}  // namespace

BROCH_COMPONENTS(
    broch::component<SyncParameterServer>(
        "broch.trainer.sync-parameter-server", "trainer", "1.0.0",
        "Towers share the variables; the mean of their gradients is applied once per step.",
        Options::schema, broch::needs("model", "input")),
    broch::component<SyncParameterServer>(
        "broch.trainer.sync-multi-gpu", "trainer", "1.0.0",
        "The same as the trainer sync-parameter-server, but with ps_device gpu by default "
        "(tensorpack: SyncMultiGPUTrainer).",
        Options::gpu_schema, broch::needs("model", "input")))
