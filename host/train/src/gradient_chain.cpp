// gradient_chain.cpp: processors as the function of a tower whose inputs are gradients.
#include "train/gradient_chain.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "runtime/host_operation.hpp"

namespace broch::train {

namespace {

using runtime::Tensor;
using runtime::Variable;

std::string names_of(const GradientChain::Processors& processors) {
  std::vector<std::string> names;
  for (const auto& processor : processors) names.push_back(processor->name());
  return base::join(names, ", ");
}

runtime::HostOperation operation_of(std::string name, const std::vector<Variable*>& variables,
                                    const std::vector<Variable*>& kept) {
  runtime::HostOperation operation;
  operation.name = std::move(name);
  operation.device = variables.front()->device;
  for (const Variable* variable : variables) {
    const auto shape = variable->shape.span();
    operation.inputs.push_back({variable->name,
                                variable->dtype,
                                {shape.begin(), shape.end()},
                                std::vector<std::string>(shape.size())});
  }
  // With a space, which no variable has in its name.
  for (const Variable* variable : kept) operation.outputs.push_back("processed " + variable->name);
  return operation;
}

}  // namespace

GradientChain::GradientChain(runtime::TowerWorld& world, abi::Instance& owner, std::string name,
                             Processors processors, std::vector<Variable*> variables)
    : backend_(*world.backend),
      name_(std::move(name)),
      processors_(std::move(processors)),
      variables_(std::move(variables)),
      kept_(variables_) {
  for (const auto& processor : processors_) kept_ = processor->keep(std::move(kept_));
  runtime::HostOperation operation =
      operation_of(name_ + " (" + names_of(processors_) + ")", variables_, kept_);
  operation.function = [this](std::span<const Tensor> gradients) { return process(gradients); };
  tower_ = runtime::make_operation(world, std::move(operation), owner);
  if (world.execution != runtime::Execution::eager && !backend_.is_null())
    for (const Variable* variable : variables_)
      input_places_.push_back(backend_.zeros(variable->dtype, variable->shape, variable->device));
  for (size_t i = 0; i < kept_.size(); ++i)
    request_.wanted.published.push_back(static_cast<uint32_t>(variables_.size() + i));
}

void GradientChain::want(const std::vector<Tensor>& places) {
  if (output_places_.empty()) output_places_ = places;
}

runtime::Frame& GradientChain::frame() {
  if (!frame_) {
    runtime::FramePlaces places{input_places_, std::vector<Tensor>(variables_.size())};
    places.published.insert(places.published.end(), output_places_.begin(), output_places_.end());
    frame_.emplace(*tower_, std::move(places));
  }
  return *frame_;
}

void GradientChain::run(const std::vector<Tensor>& gradients, uint64_t number,
                        std::vector<Tensor>& processed) {
  request_.inputs.inputs = gradients;
  request_.inputs.hooked_run = number;
  const auto none = [](const runtime::TowerResult&, const runtime::Update&) { return false; };
  const runtime::Published& published = frame().run(request_, none).tower.published;
  processed.clear();
  for (size_t i = 0; i < kept_.size(); ++i) processed.push_back(published[variables_.size() + i]);
}

void GradientChain::release() {
  if (frame_) frame_->release();
}

std::vector<Tensor> GradientChain::process(std::span<const Tensor> gradients) const {
  std::vector<uint64_t> writes;
  for (const Tensor& gradient : gradients) writes.push_back(backend_.writes_to(gradient));
  GradientList list{variables_, {gradients.begin(), gradients.end()}};
  runtime::Recorder* const recorder = runtime::Recording::current();
  for (const auto& processor : processors_) {
    if (recorder) recorder->attribute(processor->name());
    processor->process(list);
    check_inputs(gradients, writes, *processor);
  }
  if (recorder) recorder->attribute("");
  check_outputs(list);
  return std::move(list.gradients);
}

// They may be memory of a program, in which they are computed once for many runs, and others may
// read them.
void GradientChain::check_inputs(std::span<const Tensor> gradients,
                                 const std::vector<uint64_t>& writes,
                                 const GradientProcessor& after) const {
  for (size_t i = 0; i < gradients.size(); ++i)
    if (backend_.writes_to(gradients[i]) != writes[i])
      refuse(after.name(), "it wrote to the gradient of variable '" + variables_[i]->name + "'",
             "a new tensor for each gradient that it changes",
             "use the operator that makes a new tensor");
}

void GradientChain::check_outputs(const GradientList& list) const {
  if (list.variables != kept_ || list.gradients.size() != kept_.size())
    refuse(names_of(processors_), std::to_string(list.gradients.size()) + " gradients came out",
           "those of the " + std::to_string(kept_.size()) + " variables that keep answered",
           "drop in process what keep leaves out");
  for (size_t i = 0; i < kept_.size() && !backend_.is_null(); ++i) {
    const runtime::TensorInfo info = backend_.info(list.gradients[i]);
    if (info.dtype == kept_[i]->dtype && info.shape == kept_[i]->shape) continue;
    refuse(names_of(processors_),
           "the gradient of variable '" + kept_[i]->name + "' became " +
               runtime::type_text(info.dtype, info.shape),
           runtime::type_text(kept_[i]->dtype, kept_[i]->shape), "keep its dtype and shape");
  }
}

void GradientChain::refuse(const std::string& who, const std::string& found,
                           const std::string& expected, const std::string& next) const {
  throw base::Error{
      base::Exit::training,
      {"gradient processor " + who + " of node '" + name_ + "'", found, expected, next}};
}

}  // namespace broch::train
