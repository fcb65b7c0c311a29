// sync_replicated.cpp: each tower has its own variables; gradients are reduced over the towers and
// applied to every replica. tensorpack: `SyncMultiGPUTrainerReplicated`.
//
// Replicas start with equal values and stay equal. Before training and, unless an option says
// otherwise, at each trigger, all variables, with the slots of optimizers, are copied from the
// first tower. Checkpoints contain the variables of the first tower.
#include "data_parallel.hpp"

namespace {

constexpr size_t kHierarchical = 8;  // number of towers, in two groups

enum class Mode { nccl, hierarchical, cpu, gpu, gloo };

struct Options : broch::trainers::TowersOptions {
  bool average;
  std::optional<Mode> mode;
  bool broadcast_every_epoch, check_divergence;

  static constexpr auto schema =
      broch::options(TowersOptions::schema,
                     broch::option("average", &Options::average,
                                   "Apply the mean of the gradients; false: their sum.")
                         .by_default(true),
                     broch::option("mode", &Options::mode,
                                   "How gradients are added. On the CPU, towers are always added "
                                   "in their order, but hierarchical first adds two groups of 4; "
                                   "without 8 devices it is nccl. null: hierarchical with 8 "
                                   "devices, otherwise nccl.")
                         .one_of("nccl", "hierarchical", "cpu", "gpu", "gloo")
                         .by_default("nccl"),
                     broch::option("broadcast_every_epoch", &Options::broadcast_every_epoch,
                                   "At each trigger, all replicas take over the variables of the "
                                   "first, among them those that are not trained, such as running "
                                   "statistics; false: only before training.")
                         .by_default(true),
                     broch::option("check_divergence", &Options::check_divergence,
                                   "Fail if the weights of two replicas differ in any bit at a "
                                   "trigger, before they take over those of the first.")
                         .by_default(false));
};

class SyncReplicated final : public broch::Trainer, public broch::Callback {
 public:
  SyncReplicated(const broch::Host& host, const Options& options)
      : host_(host),
        run_(host),
        devices_(options.devices),
        average_(options.average),
        hierarchical_(options.mode ? *options.mode == Mode::hierarchical
                                   : devices_.size() == kHierarchical),
        every_epoch_(options.broadcast_every_epoch),
        check_divergence_(options.check_divergence),
        by_nccl_(options.mode ? *options.mode == Mode::nccl : !hierarchical_) {
    if (check_divergence_ && !every_epoch_)
      throw broch::Error(
          BROCH_E_INVALID_ARGUMENT,
          "/check_divergence: found beside broadcast_every_epoch false, expected one "
          "of them: the replicas are compared when they are made equal");
    if (!hierarchical_ || devices_.size() == kHierarchical) return;
    host_.warning("mode hierarchical adds two groups of 4 towers, and there are " +
                  std::to_string(devices_.size()) + " devices instead of 8: mode nccl is used");
    hierarchical_ = false;
    by_nccl_ = true;
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
    if (every_epoch_) build(sync_, "sync", check_divergence_);
  }

  // A checkpoint has the variables of each tower: between two triggers, statistics differ.
  void before_train() override {
    if (!run_.progress().resumed) run(spread_);
  }
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
  broch::Run run_;
  std::vector<std::string> devices_;
  bool average_, hierarchical_, every_epoch_, check_divergence_;
  bool by_nccl_ = false;
  std::optional<broch::Plan> spread_, sync_;
};

}  // namespace

BROCH_TRAINER(SyncReplicated, "broch.trainer.sync-replicated", "1.0.0",
              "Each tower has a replica of the variables; gradients are reduced over all towers.",
              Options::schema, broch::needs("model", "input"))
