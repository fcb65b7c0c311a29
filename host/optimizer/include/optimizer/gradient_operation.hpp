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
#include "replay/tower_runner.hpp"

namespace broch::optimizer {

class GradientOperation {
 public:
  using Tensors = std::vector<runtime::Tensor>;
  struct Spec {
    std::string name;  // of the node and its task, for messages and random draws
    // The inputs are `lists` lists of gradients, one after another, each for these variables.
    std::vector<runtime::Variable*> variables;
    size_t lists = 1;
    std::vector<runtime::Variable*> kept;  // variables whose gradients are returned
    // A description: it computes with operators only, does the same in each call, and writes to
    // none of its inputs. Its updates of variables are committed in each run. It is called once on
    // zeros when the operation is made.
    std::function<Tensors(std::span<const runtime::Tensor> gradients)> function;
    // After the gradients of `kept`, the function returns this number of tensors for `watch`,
    // which is called with them after each run.
    size_t watched = 0;
    std::function<void(std::span<const runtime::Tensor> watched, const WatchContext& now)> watch;
    std::vector<tower::Moving> averages;  // updated by watch; names live as long as this
  };

  // REQUIRES: owner outlives this object.
  GradientOperation(tower::RunContext& context, abi::Instance& owner, Spec spec);

  // The variables whose gradients are returned.
  const std::vector<runtime::Variable*>& kept() const { return spec_.kept; }
  const std::vector<tower::Moving>& averages() const { return spec_.averages; }
  // Buffers for the gradients of a list, from which they need no copy. Undefined: any memory will
  // do.
  Tensors input_buffers(size_t list = 0) const;
  // Sets where to write the returned gradients; undefined: anywhere. Only the first call, before
  // the first run, has an effect.
  void set_output_buffers(const Tensors& buffers);

  // gradients: the lists, one after another. number: of the hooked run. The results are valid
  // until release or the next run.
  void run(const Tensors& gradients, uint64_t number, const WatchContext& now, Tensors& results);
  void release();

  // The runner; created at the first call, which must come after set_output_buffers.
  replay::TowerRunner& runner();

 private:
  runtime::Backend& backend_;
  Spec spec_;
  std::unique_ptr<tower::Tower> tower_;
  Tensors input_buffers_, output_buffers_;
  std::optional<replay::TowerRunner> runner_;
  replay::StepRequest request_;
};

}  // namespace broch::optimizer
