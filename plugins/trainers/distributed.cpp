// distributed.cpp: parameter servers keep the variables. The update of a worker is the mean over
// its own towers; the updates of several workers are applied one after the other. tensorpack:
// `DistributedTrainerReplicated` as documented (its code ignores that mean),
// `DistributedTrainerParameterServer`.
//
// Before training, all workers take over the variables of the first one.
#include "data_parallel.hpp"

namespace {

using Options = broch::trainers::TowersOptions;

class Distributed : public broch::Trainer, public broch::Callback {
 public:
  // replicated: each tower has its own variables.
  Distributed(const broch::Host& host, const Options& options, bool replicated)
      : host_(host), run_(host), devices_(options.devices), replicated_(replicated) {}

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
    spread_->seal();
    if (replicas.empty()) return;
    copy_.emplace(host_, "copy");
    copy_->copy("", replicas);
    copy_->seal();
  }

  // A checkpoint has the variables of each tower: statistics of the others stay as they began.
  void before_train() override {
    spread_->run(false);
    if (copy_ && !run_.progress().resumed) copy_->run(false);
  }

 private:
  broch::Host host_;
  broch::Run run_;
  std::vector<std::string> devices_;
  bool replicated_;
  std::optional<broch::Plan> spread_, copy_;
};

// Each tower of a worker has a copy.
struct Replicated final : Distributed {
  Replicated(const broch::Host& host, const Options& options) : Distributed(host, options, true) {}
};
// The towers of a worker share a copy.
struct ParameterServer final : Distributed {
  ParameterServer(const broch::Host& host, const Options& options)
      : Distributed(host, options, false) {}
};

}  // namespace

BROCH_COMPONENTS(broch::component<Replicated>(
                     "broch.trainer.distributed-replicated", "trainer", "1.0.0",
                     "Parameter servers keep the variables; each tower of a worker has a copy.",
                     Options::schema, broch::needs("model", "input")),
                 broch::component<ParameterServer>(
                     "broch.trainer.distributed-parameter-server", "trainer", "1.0.0",
                     "Parameter servers keep the variables; the towers of a worker share a copy.",
                     Options::schema, broch::needs("model", "input")))
