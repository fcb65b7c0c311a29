// gradient_operation.cpp: a tower whose inputs are gradients.
#include "train/gradient_operation.hpp"

#include "runtime/host_operation.hpp"

namespace broch::train {

namespace {

using runtime::Variable;

// Names with a space, which no variable has in its own.
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

GradientOperation::GradientOperation(runtime::TowerWorld& world, abi::Instance& owner, Spec spec)
    : backend_(*world.backend), spec_(std::move(spec)) {
  runtime::HostOperation operation;
  operation.name = spec_.name;
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
  tower_ = runtime::make_operation(world, std::move(operation), owner);
  if (world.execution != runtime::Execution::eager && !world.backend->is_null())
    for (size_t list = 0; list < spec_.lists; ++list)
      for (const Variable* variable : spec_.variables)
        input_places_.push_back(
            world.backend->zeros(variable->dtype, variable->shape, variable->device));
  for (size_t i = 0; i < spec_.kept.size() + spec_.watched; ++i)
    request_.wanted.published.push_back(static_cast<uint32_t>(inputs + i));
}

GradientOperation::Tensors GradientOperation::input_places(size_t list) const {
  if (input_places_.empty()) return {};
  const auto begin = input_places_.begin() + static_cast<ptrdiff_t>(list * spec_.variables.size());
  return {begin, begin + static_cast<ptrdiff_t>(spec_.variables.size())};
}

void GradientOperation::want(const Tensors& places) {
  if (output_places_.empty()) output_places_ = places;
}

runtime::Frame& GradientOperation::frame() {
  if (!frame_) {
    runtime::FramePlaces places{input_places_, Tensors(tower_->signature().size())};
    places.published.insert(places.published.end(), output_places_.begin(), output_places_.end());
    frame_.emplace(*tower_, std::move(places));
  }
  return *frame_;
}

void GradientOperation::run(const Tensors& gradients, uint64_t number, const Look& now,
                            Tensors& results) {
  request_.inputs.inputs = gradients;
  request_.inputs.hooked_run = number;
  const auto all = [](const runtime::TowerResult&, const runtime::Update&) { return true; };
  const runtime::TowerResult& result = frame().run(request_, all).tower;
  runtime::commit(backend_, result.updates);
  const runtime::Published& published = result.published;
  results.clear();
  for (const uint32_t place : request_.wanted.published) results.push_back(published[place]);
  if (spec_.look) spec_.look(std::span(results).subspan(spec_.kept.size()), now);
  results.resize(spec_.kept.size());
}

void GradientOperation::release() {
  if (frame_) frame_->release();
}

}  // namespace broch::train
