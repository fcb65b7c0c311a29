// gradient_chain.hpp: the gradient processors of one node, one after the other, recorded and
// replayed like a tower.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/frame.hpp"
#include "train/gradient_processor.hpp"

namespace broch::train {

class GradientChain {
 public:
  using Processors = std::vector<std::unique_ptr<GradientProcessor>>;

  // name: of the node, for messages and draws. Calls the processors once on zeros. REQUIRES: at
  // least one processor; owner outlives this.
  GradientChain(runtime::TowerWorld& world, abi::Instance& owner, std::string name,
                Processors processors, std::vector<runtime::Variable*> variables);

  // Whose gradients go on.
  const std::vector<runtime::Variable*>& kept() const { return kept_; }
  // Memory in which the gradients that come in are found without a copy; empty: nowhere special.
  const std::vector<runtime::Tensor>& input_places() const { return input_places_; }
  // Where those that go on are wanted; undefined: anywhere. Before the first run; the first counts.
  void want(const std::vector<runtime::Tensor>& places);

  // number: of the hooked run. What comes out is valid until release or the next run.
  void run(const std::vector<runtime::Tensor>& gradients, uint64_t number,
           std::vector<runtime::Tensor>& processed);
  void release();

  // How it is run; made when first asked for, after want.
  runtime::Frame& frame();

 private:
  std::vector<runtime::Tensor> process(std::span<const runtime::Tensor> gradients) const;
  void check_inputs(std::span<const runtime::Tensor> gradients, const std::vector<uint64_t>& writes,
                    const GradientProcessor& after) const;
  void check_outputs(const GradientList& list) const;
  [[noreturn]] void refuse(const std::string& who, const std::string& found,
                           const std::string& expected, const std::string& next) const;

  runtime::Backend& backend_;
  std::string name_;
  Processors processors_;
  std::vector<runtime::Variable*> variables_, kept_;
  std::unique_ptr<runtime::Tower> tower_;
  std::vector<runtime::Tensor> input_places_, output_places_;
  std::optional<runtime::Frame> frame_;
  runtime::StepRequest request_;
};

}  // namespace broch::train
