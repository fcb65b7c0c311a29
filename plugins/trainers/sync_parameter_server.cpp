// sync_parameter_server.cpp: towers share one copy of the variables; their gradients are averaged
// and applied once. Seed terms: SyncMultiGPUTrainerParameterServer, SyncMultiGPUTrainer (M29, M34).
#include "data_parallel.hpp"

namespace {

using broch::Config;
using broch::Host;

class SyncParameterServer final : public broch::Trainer {
 public:
  explicit SyncParameterServer(const Host& host)
      : host_(host), devices_(Config(host).strings("/devices")) {}

  void setup_graph() override {
    broch::Plan plan(host_, "train");
    const broch::Plan::Nodes towers = broch::trainers::add_towers(plan, devices_);
    plan.apply(plan.process(broch::trainers::mean_gradients(plan, towers)));
    plan.seal();
  }

 private:
  Host host_;
  std::vector<std::string> devices_;
};

constexpr broch_component kComponents[] = {
    broch::component<SyncParameterServer>("broch.trainer.sync-parameter-server", "trainer"),
    broch::component<SyncParameterServer>("broch.trainer.sync-multi-gpu", "trainer")};

}  // namespace

// clang-format off
BROCH_PLUGIN(kComponents, "{\"components\": ["
  BROCH_META("broch.trainer.sync-parameter-server", "trainer", "1.0.0",
             "Towers share variables; the mean of their gradients is applied once a step.", BROCH_TOWERS_OPTIONS) ", "
  BROCH_META("broch.trainer.sync-multi-gpu", "trainer", "1.0.0",
             "Another name of broch.trainer.sync-parameter-server.", BROCH_TOWERS_OPTIONS) "]}")
// clang-format on
