// allreduce.cpp: one process per rank; gradients are reduced over all ranks. tensorpack:
// `HorovodTrainer`, `BytePSTrainer`.
//
// Before training, all ranks take over the variables of rank 0. Checkpoints contain those of rank
// 0.
#include "data_parallel.hpp"

namespace {

class AllReduce final : public broch::Trainer, public broch::Callback {
 public:
  explicit AllReduce(const broch::Host& host)
      : host_(host),
        devices_(broch::Config(host).strings("/devices")),
        how_{broch::Config(host).boolean("/average") ? BROCH_REDUCE_MEAN : BROCH_REDUCE_SUM, 1,
             broch::Config(host).string("/compression") == "fp16"} {}

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

 private:
  broch::Host host_;
  std::vector<std::string> devices_;
  broch::Plan::AllReduceOptions how_;
  std::optional<broch::Plan> spread_;
};

}  // namespace

// clang-format off
#define OPTIONS \
  R"({"type": "object", "properties": {)" BROCH_TOWERS_SCHEMA R"(,)" \
  R"("average": {"type": "boolean", "default": true,)" \
  R"( "description": "Apply the mean over the ranks; false: the sum of their means over )" \
  R"(towers."},)" \
  R"("compression": {"enum": ["none", "fp16"], "default": "none",)" \
  R"( "description": "The type in which float32 gradients are sent between ranks; none: float32."})" \
  R"(}, "additionalProperties": false})"

BROCH_TRAINER(AllReduce, "broch.trainer.allreduce", "1.0.0",
              "One process per rank; gradients are reduced over all ranks.", OPTIONS)
// clang-format on
