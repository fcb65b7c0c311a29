// distributed.cpp: parameter servers keep the variables. The update of a worker is the mean over
// its own towers; the updates of several workers are applied one after the other. tensorpack:
// `DistributedTrainerReplicated` as documented (its code ignores that mean),
// `DistributedTrainerParameterServer`.
//
// Before training, all workers take over the variables of the first one.
#include "data_parallel.hpp"

namespace {

class Distributed : public broch::Trainer, public broch::Callback {
 public:
  // replicated: each tower has its own variables.
  Distributed(const broch::Host& host, bool replicated)
      : host_(host), devices_(broch::Config(host).strings("/devices")), replicated_(replicated) {}

  void setup_graph() override {
    using namespace broch::trainers;
    std::vector<std::string> replicas;
    for (size_t i = 1; replicated_ && i < devices_.size(); ++i) replicas.push_back(replica_name(i));
    broch::Plan plan(host_, "train");
    const broch::Plan::Nodes towers = add_towers(plan, devices_, replicated_);
    plan.serve(plan.process(mean_gradients(plan, towers)), replicas);
    plan.seal();
    spread_.emplace(host_, "spread");
    spread_->broadcast();
    if (!replicas.empty()) spread_->copy("", replicas);
    spread_->seal();
  }

  void before_train() override { spread_->run(false); }

 private:
  broch::Host host_;
  std::vector<std::string> devices_;
  bool replicated_;
  std::optional<broch::Plan> spread_;
};

// Each tower of a worker has a copy.
struct Replicated final : Distributed {
  explicit Replicated(const broch::Host& host) : Distributed(host, true) {}
};
// The towers of a worker share a copy.
struct ParameterServer final : Distributed {
  explicit ParameterServer(const broch::Host& host) : Distributed(host, false) {}
};

constexpr broch_component kComponents[] = {
    broch::component<Replicated>("broch.trainer.distributed-replicated", "trainer"),
    broch::component<ParameterServer>("broch.trainer.distributed-parameter-server", "trainer")};

}  // namespace

// clang-format off
BROCH_PLUGIN(kComponents, "{\"components\": ["
  BROCH_META_MORE("broch.trainer.distributed-replicated", "trainer", "1.0.0",
             "Parameter servers keep the variables; each tower of a worker has a copy.", R"("needs": ["model", "input"])", BROCH_TOWERS_OPTIONS) ", "
  BROCH_META_MORE("broch.trainer.distributed-parameter-server", "trainer", "1.0.0",
             "Parameter servers keep the variables; the towers of a worker share a copy.", R"("needs": ["model", "input"])", BROCH_TOWERS_OPTIONS) "]}")
// clang-format on
