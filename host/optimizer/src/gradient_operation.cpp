// gradient_operation.cpp: a tower whose inputs are gradients.
#include "optimizer/gradient_operation.hpp"

#include "tower/host_operation.hpp"

namespace broch::optimizer {

namespace {

using runtime::Variable;

// The space keeps the name different from that of any variable.
std::string input_name(const Variable& variable, size_t list, size_t lists) {
  return lists == 1 ? variable.name : std::to_string(list) + " " + variable.name;
}

abi::InputSpec input_spec(const Variable& variable, std::string name) {
  const auto shape = variable.shape.span();
  return {std::move(name),
          variable.dtype,
          {shape.begin(), shape.end()},
          std::vector<std::string>(shape.size())};
}

}  // namespace

GradientOperation::GradientOperation(tower::RunContext& context, abi::Instance& owner, Spec spec)
    : backend_(*context.backend), spec_(std::move(spec)) {
  tower::HostOperation operation;
  operation.name = spec_.name;
  operation.vs_name = spec_.variables.front()->replica;
  operation.device = spec_.variables.front()->device;
  for (size_t list = 0; list < spec_.lists; ++list)
    for (const Variable* variable : spec_.variables)
      operation.inputs.push_back(input_spec(*variable, input_name(*variable, list, spec_.lists)));
  for (const Variable* variable : spec_.kept)
    operation.outputs.push_back("processed " + variable->name);
  for (size_t i = 0; i < spec_.watched; ++i)
    operation.outputs.push_back("watched " + std::to_string(i));
  operation.function = spec_.function;
  const size_t inputs = operation.inputs.size();
  tower_ = tower::make_operation(context, std::move(operation), owner);
  // Only recorded programs read them, and only towers on the CPU are recorded.
  if (context.execution != tower::Execution::eager && !context.backend->is_null() &&
      spec_.variables.front()->device.type == BROCH_DL_CPU)
    for (size_t list = 0; list < spec_.lists; ++list)
      for (const Variable* variable : spec_.variables)
        input_buffers_.push_back(
            context.backend->zeros(variable->dtype, variable->shape, variable->device));
  for (size_t i = 0; i < spec_.kept.size() + spec_.watched; ++i)
    request_.wanted.published.push_back(static_cast<uint32_t>(inputs + i));
}

GradientOperation::Tensors GradientOperation::input_buffers(size_t list) const {
  if (input_buffers_.empty()) return {};
  const auto begin = input_buffers_.begin() + static_cast<ptrdiff_t>(list * spec_.variables.size());
  return {begin, begin + static_cast<ptrdiff_t>(spec_.variables.size())};
}

void GradientOperation::set_output_buffers(const Tensors& buffers) {
  if (output_buffers_.empty()) output_buffers_ = buffers;
}

replay::TowerRunner& GradientOperation::runner() {
  if (!runner_) {
    replay::RunnerBuffers buffers{input_buffers_, Tensors(tower_->signature().size())};
    buffers.published.insert(buffers.published.end(), output_buffers_.begin(),
                             output_buffers_.end());
    runner_.emplace(*tower_, std::move(buffers));
  }
  return *runner_;
}

void GradientOperation::run(const Tensors& gradients, uint64_t number, const WatchContext& now,
                            Tensors& results) {
  request_.inputs.inputs = gradients;
  request_.inputs.hooked_run = number;
  const auto all = [](const tower::TowerResult&, const tower::Update&) { return true; };
  const tower::TowerResult& result = runner().run(request_, all).tower;
  tower::commit(*tower_->context().variables, result.updates);
  const tower::Published& published = result.published;
  results.clear();
  for (const uint32_t place : request_.wanted.published) results.push_back(published[place]);
  if (spec_.watch) spec_.watch(std::span(results).subspan(spec_.kept.size()), now);
  results.resize(spec_.kept.size());
}

void GradientOperation::release() {
  if (runner_) runner_->release();
}

}  // namespace broch::optimizer
