// sync_replicated.cpp: each tower has its own variables; gradients are reduced over the towers and
// applied to every replica. tensorpack: `SyncMultiGPUTrainerReplicated`.
//
// Replicas start with equal values and stay equal. Before training and at each trigger, all
// variables, with the slots of optimizers, are copied from the first tower. Checkpoints contain the
// variables of the first tower.
#include "data_parallel.hpp"

namespace {

constexpr size_t kHierarchical = 8;  // number of towers, in two groups

class SyncReplicated final : public broch::Trainer, public broch::Callback {
 public:
  explicit SyncReplicated(const broch::Host& host) : host_(host) {
    const broch::Config config(host);
    devices_ = config.strings("/devices");
    average_ = config.boolean("/average");
    check_divergence_ = config.boolean("/check_divergence");
    const std::string mode = config.string("/mode");
    hierarchical_ = mode == "hierarchical";
    by_nccl_ = mode == "nccl";
    if (hierarchical_ && devices_.size() != kHierarchical)
      throw broch::Error(
          BROCH_E_INVALID_ARGUMENT,
          "mode hierarchical adds in two groups of 4 towers: it needs 8 devices, there "
          "are " +
              std::to_string(devices_.size()));
  }

  void setup_graph() override {
    broch::Plan plan(host_, "train");
    broch::Plan::Nodes lists;
    for (const broch_node tower : broch::trainers::add_towers(plan, devices_, true))
      lists.push_back(plan.gradients(tower));
    const broch_node reduced = plan.process(reduce(plan, lists));
    for (size_t i = 0; i < devices_.size(); ++i)
      plan.apply(reduced, {"", "", broch::trainers::replica_name(i)},
                 {"apply" + std::to_string(i)});
    plan.seal();
    if (devices_.size() == 1) return;
    build(spread_, "spread", false);
    build(sync_, "sync", check_divergence_);
  }

  void before_train() override { run(spread_); }
  void trigger() override { run(sync_); }

 private:
  void build(std::optional<broch::Plan>& plan, const char* name, bool check) {
    plan.emplace(host_, name);
    plan->copy("", others(), check);
    plan->seal();
  }
  static void run(std::optional<broch::Plan>& plan) {
    if (plan) plan->run(false);
  }
  std::vector<std::string> others() const {
    std::vector<std::string> names;
    for (size_t i = 1; i < devices_.size(); ++i) names.push_back(broch::trainers::replica_name(i));
    return names;
  }

  // One sum for all towers, so that all replicas get the same bits.
  broch_node reduce(broch::Plan& plan, const broch::Plan::Nodes& lists) const {
    const double scale = average_ ? 1 / double(lists.size()) : 1;
    if (!hierarchical_) return plan.sum(lists, scale, by_nccl_);
    const auto middle = lists.begin() + kHierarchical / 2;
    return plan.sum({plan.sum({lists.begin(), middle}), plan.sum({middle, lists.end()})}, scale);
  }

  broch::Host host_;
  std::vector<std::string> devices_;
  bool average_, hierarchical_, check_divergence_;
  bool by_nccl_ = false;
  std::optional<broch::Plan> spread_, sync_;
};

}  // namespace

// clang-format off
#define OPTIONS \
  R"({"type": "object", "properties": {)" BROCH_TOWERS_SCHEMA R"(,)" \
  R"("average": {"type": "boolean", "default": true,)" \
  R"( "description": "Apply the mean of the gradients; false: their sum."},)" \
  R"("mode": {"enum": ["nccl", "hierarchical", "cpu", "gpu", "gloo"], "default": "nccl",)" \
  R"( "description": "How gradients are added. On the CPU, towers are always added in their order,)" \
  R"( but hierarchical first adds two groups of 4."},)" \
  R"("check_divergence": {"type": "boolean", "default": false,)" \
  R"( "description": "Fail if the weights of two replicas differ in any bit at a trigger; false: )" \
  R"(copy the first replica to the others."})" \
  R"(}, "additionalProperties": false})"

BROCH_TRAINER(SyncReplicated, "broch.trainer.sync-replicated", "1.0.0",
              "Each tower has a replica of the variables; gradients are reduced over all towers.", OPTIONS)
// clang-format on
