// tower.cpp: binds inputs, calls the tower function, takes the result.
#include "tower/tower.hpp"

#include <algorithm>

#include "abi/host_part.hpp"
#include "abi/thread.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "definition.hpp"
#include "domain.hpp"
#include "handles.hpp"
#include "layer_tape.hpp"
#include "runtime/point.hpp"
#include "tower/shapes_only.hpp"
#include "tower/tower_meeting.hpp"
#include "tower_call.hpp"

namespace broch::tower {
namespace {

constexpr int64_t kUnknownSize = 2;  // of a dimension that no input determines

// Registers what is passed in with the recorder, by slot: inputs, then feeds ordered by name.
void recorded(Recorder& recorder, RunInputs& inputs) {
  uint32_t slot = 0;
  for (Tensor& input : inputs.inputs) input = recorder.input(slot++, input);
  for (auto& [name, tensor] : inputs.feeds) tensor = recorder.input(slot++, tensor);
}

// Returns the size that given inputs have in the dimension of this name.
int64_t bound_size(const std::string& dim, const std::vector<abi::InputSpec>& signature,
                   const RunInputs& inputs, Backend& backend) {
  if (dim.empty()) return kUnknownSize;
  for (size_t i = 0; i < signature.size(); ++i) {
    if (!inputs.inputs[i]) continue;
    const Shape shape = backend.info(inputs.inputs[i]).shape;
    for (uint32_t d = 0; d < std::min<size_t>(shape.rank, signature[i].dims.size()); ++d)
      if (signature[i].dims[d] == dim) return shape.dims[d];
  }
  return kUnknownSize;
}

// Ends a call even if it throws.
class Running {
 public:
  explicit Running(TowerCall& call) : call_(call) {}
  ~Running() { call_.end(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  TowerCall& call_;
};

}  // namespace

void RunInputs::clear() {
  inputs.clear();
  feeds.clear();
  hooked_run = 0;
}

std::recursive_mutex& InstanceLocks::of(const abi::Instance& instance) {
  const std::lock_guard lock(mutex_);
  return locks_[&instance];
}

InstanceLock::InstanceLock(std::recursive_mutex& lock) : lock_(lock, std::defer_lock) {
  const TowerMeeting* const meeting = TowerMeeting::current();
  if (!meeting || !meeting->holds(lock)) lock_.lock();
}

TowerFunction model_function(const abi::Model& model) {
  return [model](broch_tower tower, const broch_tensor* inputs, uint32_t n, const KeepCost& keep) {
    model.tower(tower, inputs, n, keep);
  };
}

Tower::Tower(RunContext& context, TowerSpec spec, std::vector<abi::InputSpec> signature,
             TowerFunction function, abi::Instance& instance)
    : context_(&context),
      spec_(std::move(spec)),
      signature_(std::move(signature)),
      function_(std::move(function)),
      instance_(&instance),
      lock_(&context.locks->of(instance)),
      definition_(std::make_unique<Definition>(Placement(spec_.variable_devices))),
      call_(std::make_unique<TowerCall>(*this, *definition_)) {
  for (const abi::InputSpec& input : signature_) published_.push_back(input.name);
}

Tower::~Tower() = default;

std::string Tower::describe() const {
  std::string text = spec_.operation ? "operation" : "tower";
  if (!spec_.name.empty()) text += " '" + spec_.name + "'";
  return text + " of " + instance_->label();
}

const std::vector<Collection>& Tower::collections() const { return definition_->collections; }

int Tower::index_of(std::string_view name) const {
  const auto found = std::ranges::find(published_, name);
  return found == published_.end() ? -1 : static_cast<int>(found - published_.begin());
}

void Tower::define(std::vector<Tensor> example) {
  if (context_->bf16 && spec_.device.type != BROCH_DL_CPU)
    throw base::Error(base::Exit::manifest,
                      {.where = "runtime.precision",
                       .found = "\"bf16\", and " + describe() + " on " + to_string(spec_.device),
                       .expected = "towers on the CPU",
                       .hint = "leave \"precision\" out, or train on the CPU"});
  RunInputs inputs;
  inputs.inputs = std::move(example);
  TowerResult result;
  call(inputs, spec_.training, /*defining=*/true, result);
  registration_ = definition_->registration();
  meets_ = call_->meets();
  published_.clear();
  for (const Published::Entry& entry : result.published) {
    published_.emplace_back(entry.first);
    defined_result_.published.add(entry.first, {});
  }
  defined_result_.tags = result.tags;
  for (const auto& [variable, leaf] : result.leaves) trainables_.push_back(variable);
}

TowerResult Tower::run(RunInputs inputs, bool gradients) {
  TowerResult result;
  run(inputs, gradients, result);
  return result;
}

std::vector<LayerCost> Tower::measure_layers(std::vector<Tensor> inputs) {
  LayerTape tape(*context_->backend);
  RunInputs given;
  given.inputs = std::move(inputs);
  run_on(tape, std::move(given));
  return tape.take();
}

TowerResult Tower::run_on(CallTape& tape, RunInputs inputs) {
  struct Written {
    explicit Written(TowerCall& call, CallTape& tape) : call_(call) { call_.write_to(&tape); }
    ~Written() { call_.write_to(nullptr); }
    TowerCall& call_;
  };
  const Written written(*call_, tape);
  const ShapesOnly no_side_effects(true);
  return run(std::move(inputs), spec_.training);
}

void Tower::bind(RunInputs& inputs) const {
  check_feeds(inputs);
  bind_inputs(inputs);
}

void Tower::run(RunInputs& inputs, bool gradients, TowerResult& result) {
  check_feeds(inputs);
  call(inputs, gradients || (spec_.training && call_->used_grad()), /*defining=*/false, result);
}

void Tower::call(RunInputs& inputs, bool gradients, bool defining, TowerResult& result) {
  if (const TowerCall* running = TowerCall::current())
    throw base::Error(base::Exit::training,
                      {.where = describe(),
                       .found = "called inside " + running->tower().describe(),
                       .expected = "towers that do not nest",
                       .hint = "run it before or after, not in the tower function"});
  const InstanceLock lock(*lock_);
  bind_inputs(inputs);
  if (Recorder* recorder = Recording::current()) recorded(*recorder, inputs);
  const Running running(*call_);
  const ShapesOnly shapes_only(defining);
  call_->begin(inputs, gradients, defining, result);
  const std::unique_ptr<StepGuard> mixed =
      call_->mixes() ? context_->backend->mix_precision() : nullptr;
  const std::unique_ptr<StepGuard> guard = context_->backend->enter(gradients, call_.get());
  const Domain domain(call_.get());
  const std::vector<broch_tensor>& handles = call_->input_handles();
  const broch_tower handle = call_->lend_handle();
  abi::HostPart host;
  function_(handle, handles.data(), static_cast<uint32_t>(handles.size()),
            [this, &host](broch_tensor cost) { host.run([&] { call_->keep_cost(cost); }); });
  host.rethrow();
  call_->finish();
}

void Tower::bind_inputs(RunInputs& inputs) const {
  inputs.inputs.resize(signature_.size());
  Backend& backend = *context_->backend;
  for (size_t i = 0; i < signature_.size() && !inputs.feeds.empty(); ++i) {
    const auto fed = inputs.feeds.find(signature_[i].name);
    if (fed != inputs.feeds.end()) inputs.inputs[i] = backend.brought_to(spec_.device, fed->second);
  }
  for (size_t i = 0; i < signature_.size(); ++i) {
    if (inputs.inputs[i]) continue;
    const abi::InputSpec& input = signature_[i];
    Shape shape;
    shape.rank = static_cast<uint32_t>(input.shape.size());
    for (uint32_t d = 0; d < shape.rank; ++d)
      shape.dims[d] = input.shape[d] >= 0 ? input.shape[d]
                                          : bound_size(input.dims[d], signature_, inputs, backend);
    inputs.inputs[i] = backend.zeros(input.dtype, shape, spec_.device);
  }
}

namespace {

bool fits(const abi::InputSpec& input, const TensorInfo& info) {
  if (info.dtype != input.dtype || info.shape.rank != input.shape.size()) return false;
  for (uint32_t d = 0; d < info.shape.rank; ++d)
    if (input.shape[d] >= 0 && input.shape[d] != info.shape.dims[d]) return false;
  return true;
}

}  // namespace

void Tower::check_feeds(const RunInputs& inputs) const {
  if (inputs.feeds.empty()) return;
  for (const auto& [name, tensor] : inputs.feeds) {
    if (!publishes(name))
      throw base::Error(
          base::Exit::training,
          {.where = "feed of " + base::quoted(name),
           .found = "no such name in " + describe(),
           .expected = "an input or a published name (" + base::join(published_, ", ") + ")" +
                       base::did_you_mean(name, published_),
           .hint = "publish the tensor that is to be replaced"});
  }
  for (size_t i = 0; i < signature_.size(); ++i)
    if (const auto fed = inputs.feeds.find(signature_[i].name); fed != inputs.feeds.end())
      check_fed(i, fed->second);
}

void Tower::check_fed(size_t input, const Tensor& fed) const {
  const abi::InputSpec& wanted = signature_[input];
  const TensorInfo info = context_->backend->info(fed);
  if (fits(wanted, info)) return;
  throw base::Error(base::Exit::training, {.where = "feed of input '" + wanted.name + "'",
                                           .found = type_text(info.dtype, info.shape),
                                           .expected = dtype_name(wanted.dtype) + std::string(" ") +
                                                       runtime::shape_text(wanted),
                                           .hint = "convert what is fed"});
}

// Variables never share memory with each other. So a value must be copied only if it lies in the
// memory of a variable that is written.
void commit(VariableStore& variables, std::span<const Update> updates) {
  if (updates.empty()) return;
  Backend& backend = variables.backend();
  const VariableWrites::Write write(variables.writes());
  if (updates.size() == 1) {
    backend.assign(updates[0].variable->value, updates[0].value);
    return;
  }
  std::vector<Memory> written;
  for (const Update& update : updates)
    written.push_back(memory_of(backend, update.variable->value));
  std::ranges::sort(written, {}, &Memory::begin);
  std::vector<Tensor> values;
  for (const Update& update : updates) {
    const std::byte* begin = memory_of(backend, update.value).begin;
    auto after = std::ranges::upper_bound(written, begin, {}, &Memory::begin);
    const bool aliased = after != written.begin() && (after - 1)->holds(begin);
    values.push_back(aliased ? backend.copy(update.value, update.variable->device) : update.value);
  }
  for (size_t i = 0; i < updates.size(); ++i) backend.assign(updates[i].variable->value, values[i]);
}

}  // namespace broch::tower
