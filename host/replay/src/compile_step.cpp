// compile_step.cpp: decides which outputs a program computes, and where in the step's result they
// are stored.
#include "compile_step.hpp"

#include "step_outputs.hpp"
#include "tower/variable_memory.hpp"

namespace broch::replay {
namespace {

Tensor buffer_at(const std::vector<Tensor>& buffers, size_t index) {
  return index < buffers.size() ? buffers[index] : Tensor();
}

class StepCompiler {
 public:
  StepCompiler(const Tower& tower, const RecordedStep& recorded, const Wanted& wanted)
      : tower_(tower), recorded_(recorded), layout_(recorded.shape) {
    step_->wanted = wanted;
    step_->result = recorded.shape;
  }

  // To be called once, in the order of the outputs.
  void want_published(const std::vector<Tensor>& buffers);
  void want_updates(const KeepsUpdate& keeps);
  void want_summaries();
  void want_gradients();

  std::unique_ptr<CompiledStep> compile(const RunnerBuffers& buffers, Workspace& workspace);

 private:
  void want(size_t output, Tensor& target, const Tensor& place = {}, bool rows = false);
  void add_to_part(const GradientRequest& request, size_t gradient, size_t first_part);
  void store_outputs();

  const Tower& tower_;
  const RecordedStep& recorded_;
  const StepOutputs layout_;
  std::unique_ptr<CompiledStep> step_ = std::make_unique<CompiledStep>();
  StepResult& result_ = step_->result;
  CompileOptions options_;
  std::vector<Tensor*> targets_;  // in the order of options_.outputs
};

void StepCompiler::want(size_t output, Tensor& target, const Tensor& place, bool rows) {
  options_.outputs.push_back(static_cast<uint32_t>(output));
  options_.output_buffers.push_back(place);
  options_.rows.push_back(rows);
  targets_.push_back(&target);
}

void StepCompiler::want_published(const std::vector<Tensor>& buffers) {
  for (const uint32_t index : step_->wanted.published)
    want(index, result_.tower.published.value(index), buffer_at(buffers, index));
}

void StepCompiler::want_updates(const KeepsUpdate& keeps) {
  const TowerResult& all = recorded_.shape.tower;
  std::vector<size_t> kept;
  for (size_t i = 0; i < all.updates.size(); ++i)
    if (keeps(all, all.updates[i])) kept.push_back(i);
  std::vector<Update>& updates = result_.tower.updates;
  updates.clear();
  for (const size_t i : kept) updates.push_back(all.updates[i]);
  for (size_t i = 0; i < kept.size(); ++i) want(layout_.updates + kept[i], updates[i].value);
}

void StepCompiler::want_summaries() {
  TowerResult& tower = result_.tower;
  if (step_->wanted.summaries)
    for (size_t i = 0; i < tower.summaries.size(); ++i)
      want(layout_.summaries + i, tower.summaries[i].tensor);
  if (step_->wanted.moving)
    for (size_t i = 0; i < tower.moving.size(); ++i)
      want(layout_.moving + i, tower.moving[i].tensor);
}

void StepCompiler::want_gradients() {
  size_t number = layout_.gradients;
  for (size_t k = 0; k < result_.gradients.size(); ++k) {
    const GradientRequest& request = *recorded_.key.gradients()[k];
    const size_t first_part = options_.parts.size();
    for (size_t i = 0; i < result_.gradients[k].size(); ++i) {
      want(number++, result_.gradients[k][i], buffer_at(request.buffers, i),
           i < request.rows.size() && request.rows[i]);
      if (request.sink) add_to_part(request, i, first_part);
    }
  }
}

// Adds this gradient, the output that was wanted last, to its part. The parts of a request follow
// those of the requests before it.
void StepCompiler::add_to_part(const GradientRequest& request, size_t gradient, size_t first_part) {
  const uint32_t wanted = request.parts[gradient];
  for (size_t part = options_.parts.size() - first_part; part <= wanted; ++part) {
    options_.parts.emplace_back();
    step_->notified.emplace_back(request.sink, part);
  }
  options_.parts[first_part + wanted].push_back(options_.outputs.back());
}

std::unique_ptr<CompiledStep> StepCompiler::compile(const RunnerBuffers& buffers,
                                                    Workspace& workspace) {
  options_.inputs = buffers.inputs;
  options_.level = tower_.context().level;
  options_.without = tower_.context().without;
  options_.workspace = &workspace;
  step_->executable = recorded_.program->compile(options_);
  store_outputs();
  return std::move(step_);
}

void StepCompiler::store_outputs() {
  for (size_t i = 0; i < targets_.size(); ++i) {
    *targets_[i] = step_->executable->output(i);
    if (layout_.is_activation(options_.outputs[i]) &&
        lies_in_variable(tower_, recorded_.shape.tower.updates, *targets_[i]))
      step_->in_variables.emplace_back(i, targets_[i]);
  }
  step_->outputs = std::move(options_.outputs);
}

}  // namespace

std::unique_ptr<CompiledStep> compile_step(const Tower& tower, const RecordedStep& recorded,
                                           const Wanted& wanted, const KeepsUpdate& keeps,
                                           const RunnerBuffers& buffers, Workspace& workspace) {
  StepCompiler compiler(tower, recorded, wanted);
  compiler.want_published(buffers.published);
  compiler.want_updates(keeps);
  compiler.want_summaries();
  compiler.want_gradients();
  return compiler.compile(buffers, workspace);
}

}  // namespace broch::replay
