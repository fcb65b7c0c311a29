// gradient_operation.hpp: a function from gradients to gradients, recorded and replayed like a
// tower.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "optimizer/gradients.hpp"
#include "optimizer/watch_context.hpp"
#include "tower/tower_runner.hpp"

namespace broch::optimizer {

class GradientOperation {
 public:
  using Tensors = std::vector<runtime::Tensor>;
  struct Spec {
    std::string name;  // of the node and what it does, for messages and draws
    // What comes in: lists one behind the other, each over the same variables.
    std::vector<runtime::Variable*> variables;
    size_t lists = 1;
    std::vector<runtime::Variable*> kept;  // whose gradients go on
    // A description: computes with operators alone, the same in each call, and writes to none of
    // the gradients that come in. Its updates of variables are committed in each run. Called once
    // on zeros when the operation is made.
    std::function<Tensors(std::span<const runtime::Tensor> gradients)> function;
    // Behind those of kept the function gives so many tensors that are for look alone, which is
    // called after each run.
    size_t watched = 0;
    std::function<void(std::span<const runtime::Tensor> watched, const WatchContext& now)> watch;
    std::vector<tower::Moving> averages;  // that watch updates; names valid as long as this
  };

  // REQUIRES: owner outlives this.
  GradientOperation(tower::RunContext& world, abi::Instance& owner, Spec spec);

  // Whose gradients go on.
  const std::vector<runtime::Variable*>& kept() const { return spec_.kept; }
  const std::vector<tower::Moving>& averages() const { return spec_.averages; }
  // Memory in which the gradients of a list are found without a copy; undefined: nowhere special.
  Tensors input_buffers(size_t list = 0) const;
  // Where those that go on are wanted; undefined: anywhere. Before the first run; the first counts.
  void want(const Tensors& buffers);

  // gradients: lists one behind the other; number: of the hooked run. What comes out is valid until
  // release or the next run.
  void run(const Tensors& gradients, uint64_t number, const WatchContext& now, Tensors& results);
  void release();

  // How it is run; made when first asked for, after want.
  tower::TowerRunner& runner();

 private:
  runtime::Backend& backend_;
  Spec spec_;
  std::unique_ptr<tower::Tower> tower_;
  Tensors input_buffers_, output_buffers_;
  std::optional<tower::TowerRunner> runner_;
  tower::StepRequest request_;
};

}  // namespace broch::optimizer
