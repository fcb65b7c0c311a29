// allreduce.cpp: one process per rank; gradients are reduced over all ranks. tensorpack:
// `HorovodTrainer`, `BytePSTrainer`.
//
// Before training and at each trigger, all ranks take over the variables of rank 0. Checkpoints
// contain those of rank 0.
#include "data_parallel.hpp"

namespace {

struct Options : broch::trainers::TowersOptions {
  bool average;
  std::string compression;
  bool broadcast_every_epoch;

  static constexpr auto schema = broch::options(
      TowersOptions::schema,
      broch::option("average", &Options::average,
                    "Apply the mean over the ranks; false: the sum of their means over towers.")
          .by_default(true),
      broch::option("compression", &Options::compression,
                    "The type in which float32 gradients are sent between ranks; none: float32.")
          .one_of("none", "fp16")
          .by_default("none"),
      broch::option(
          "broadcast_every_epoch", &Options::broadcast_every_epoch,
          "At each trigger, all ranks take over the variables of rank 0, among them those "
          "that are not trained, such as running statistics; false: only before training.")
          .by_default(true));
};

class AllReduce final : public broch::Trainer, public broch::Callback {
 public:
  AllReduce(const broch::Host& host, const Options& options)
      : host_(host),
        devices_(options.devices),
        how_{options.average ? BROCH_REDUCE_MEAN : BROCH_REDUCE_SUM, 1,
             options.compression == "fp16"},
        every_epoch_(options.broadcast_every_epoch) {}

  void setup_graph() override {
    broch::Plan plan(host_, "train");
    const broch_node mean =
        broch::trainers::mean_gradients(plan, broch::trainers::add_towers(plan, devices_));
    plan.apply(plan.process(plan.all_reduce(mean, how_)));
    plan.seal();
    spread_.emplace(host_, "spread");
    spread_->broadcast();
    spread_->seal();
  }

  void before_train() override { spread_->run(false); }
  void trigger() override {
    if (every_epoch_) spread_->run(false);
  }

 private:
  broch::Host host_;
  std::vector<std::string> devices_;
  broch::Plan::AllReduceOptions how_;
  bool every_epoch_;
  std::optional<broch::Plan> spread_;
};

}  // namespace

BROCH_TRAINER(AllReduce, "broch.trainer.allreduce", "1.0.0",
              "One process per rank; gradients are reduced over all ranks.", Options::schema,
              broch::needs("model", "input"))
