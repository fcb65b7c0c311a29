// executable.cpp: decides memory, arguments and order in advance, so that a run only makes calls.
#include "executable.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "compiler/aten.hpp"
#include "compiler/draw.hpp"

namespace broch::compiler {
namespace {

constexpr int kPoison = 0xFF;

at::Tensor tensor_on(const c10::Storage& storage, const View& view) {
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(c10::DispatchKey::CPU),
      c10::scalarTypeToTypeMeta(view.dtype));
  c10::TensorImpl* const impl = tensor.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(view.sizes, view.strides, view.offset);
  if (view.conjugate) impl->_set_conj(true);
  if (view.negative) impl->_set_neg(true);
  if (view.wrapped_number) impl->set_wrapped_number(true);
  return tensor;
}

// One call of an operator with all that it needs.
struct OperatorCall {
  const Program& program;
  const Node& node;
  torch::jit::Stack& stack;
  const uint64_t& counter;
  std::vector<c10::IValue> arguments;
  std::vector<Allocation> plan;
  struct Made {
    size_t result;
    at::Tensor tensor;  // where the result must be
  };
  std::vector<Made> made;

  void operator()() {
    stack.assign(arguments.begin(), arguments.end());
    if (node.random) {
      call_random();
    } else {
      call();
    }
    if (!made.empty()) settle();
    stack.clear();
  }

  void call() {
    const AllocationPlan planned(plan);
    node.op->redispatchBoxed(node.keys, &stack);
  }

  // The first random operator with a key starts its stream; later ones with the same key continue
  // it.
  void call_random() {
    if (node.kernel) {
      ActiveDraw draw{{node.draw.key, counter}};
      const DrawScope drawing(&draw);
      return call();
    }
    const Draw draw({node.draw.key, counter}, at::kCPU, node.generator >= 0, node.ordinal == 0);
    if (node.generator >= 0) stack[node.generator] = draw.generator();
    call();
  }

  // Compares the results, with the elements of lists counted separately, with their planned places.
  void settle() {
    size_t number = 0;
    auto next = made.begin();
    const auto take = [&](const c10::IValue& value) {
      if (next == made.end() || number++ != next->result) return;
      put(value.toTensor(), (next++)->tensor);
    };
    for (const c10::IValue& value : stack) {
      if (value.isTensor() || value.isNone()) {
        take(value);
      } else if (value.isList()) {
        for (const c10::IValue& element : value.toListRef()) take(element);
      }
    }
  }

  void put(const at::Tensor& result, at::Tensor& place) const {
    if (result.sizes() != place.sizes())
      throw base::Error(
          base::Exit::training,
          base::Diagnostic{"operator " + node.name, "a result of shape " + c10::str(result.sizes()),
                           c10::str(place.sizes()) + " as recorded",
                           "set runtime.execution to \"eager\" and report it"});
    if (result.const_data_ptr() != place.const_data_ptr()) {
      place.copy_(result);
    } else if (result.strides() != place.strides()) {
      place.copy_(result.clone());
    }
  }
};

}  // namespace

TorchExecutable::TorchExecutable(Program program, const CompileOptions& options,
                                 ExecutableInfo info, std::shared_ptr<const Prepared> prepared)
    : program_(std::move(program)), info_(std::move(info)), prepared_(std::move(prepared)) {
  const MemoryPlan plan = plan_memory(program_);
  info_.planned_bytes = plan.bytes;
  info_.unplanned_bytes = plan.unplanned_bytes;
  info_.calls = program_.nodes.size();
  info_.calls_host_code =
      std::ranges::any_of(program_.nodes, [](const Node& node) { return node.foreign; });
  const bool is_prepared = prepared_ != nullptr;
  if (!is_prepared) prepare();
  give_memory(plan, options.workspace);
  tensors_.resize(program_.views.size());
  const at::AutoDispatchBelowADInplaceOrView no_graph;
  if (!is_prepared)
    for (const Node& node : program_.once) {
      const std::vector<size_t> nowhere(node.allocations.size(), MemoryPlan::kElsewhere);
      at_place(node.name, [&] { bound(node, nowhere)(); });
    }
  for (size_t i = 0; i < program_.nodes.size(); ++i)
    steps_.push_back({i, bound(program_.nodes[i], plan.scratch[i])});
  bind_inputs();
  bind_outputs(options);
  bind_parts(options);
}

c10::Storage TorchExecutable::storage_on(void* address, size_t bytes) const {
  return {c10::Storage::use_byte_size_t(), bytes, at::DataPtr(address, at::Device(at::kCPU)),
          nullptr, false};
}

// Memory for the values that are computed once.
void TorchExecutable::prepare() {
  auto prepared = std::make_shared<Prepared>();
  for (const Buffer& buffer : program_.buffers)
    prepared->values.push_back(
        buffer.persistent && !buffer.held ? std::make_unique<Arena>(buffer.bytes) : nullptr);
  prepared_ = std::move(prepared);
}

void TorchExecutable::give_memory(const MemoryPlan& plan, Workspace* workspace) {
  values_ = (workspace ? *workspace : own_workspace_).at_least(plan.bytes);
  values_bytes_ = plan.bytes;
  planned_ = std::make_unique<PlannedRange>(values_, plan.bytes);
  const std::vector<bool> used = program_.used_buffers();
  for (size_t i = 0; i < program_.buffers.size(); ++i) {
    const Buffer& buffer = program_.buffers[i];
    if (buffer.held) {
      auto* first = static_cast<std::byte*>(buffer.held.mutable_data()) + buffer.offset;
      const bool is_value = buffer.kind == Buffer::Kind::value;
      if (is_value) output_ranges_.push_back(std::make_unique<PlannedRange>(first, buffer.bytes));
      const bool is_place = is_value || buffer.kind == Buffer::Kind::input;
      storages_.push_back(is_place ? storage_on(first, buffer.bytes) : buffer.held);
    } else if (plan.offset[i] != MemoryPlan::kElsewhere) {
      storages_.push_back(storage_on(values_ + plan.offset[i], buffer.bytes));
    } else if (buffer.persistent) {
      storages_.push_back(storage_on(prepared_->values[i]->begin(), buffer.bytes));
    } else if (buffer.kind == Buffer::Kind::input || used[i]) {
      owned_.push_back(std::make_unique<Arena>(buffer.bytes));
      storages_.push_back(storage_on(owned_.back()->begin(), buffer.bytes));
    } else {
      storages_.push_back(storage_on(nullptr, 0));  // no call that remains uses it
    }
  }
}

const at::Tensor& TorchExecutable::tensor(int view) const {
  at::Tensor& tensor = tensors_[view];
  if (!tensor.defined())
    tensor = tensor_on(storages_[program_.views[view].buffer], program_.views[view]);
  return tensor;
}

void* TorchExecutable::address(int number) const {
  const View& view = program_.views[number];
  return static_cast<std::byte*>(storages_[view.buffer].mutable_data()) +
         static_cast<size_t>(view.offset) * c10::elementSize(view.dtype);
}

Kernel TorchExecutable::bound(const Node& node, const std::vector<size_t>& scratch) {
  return node.bind ? node.bind(*this) : operator_call(node, scratch);
}

std::vector<Allocation> TorchExecutable::planned(const Node& node,
                                                 const std::vector<size_t>& scratch) const {
  std::vector<Allocation> plan;
  for (size_t k = 0; k < node.allocations.size(); ++k) {
    const int buffer = node.allocation_of[k];
    void* address = nullptr;
    if (buffer >= 0) address = storages_[buffer].mutable_data();
    if (scratch[k] != MemoryPlan::kElsewhere) address = values_ + scratch[k];
    plan.push_back({node.allocations[k].bytes, address});
  }
  return plan;
}

Kernel TorchExecutable::operator_call(const Node& node, const std::vector<size_t>& scratch) {
  OperatorCall call{program_, node, stack_, counter_, {}, planned(node, scratch), {}};
  const auto value_of = [&](int view) { return view == kNoView ? at::Tensor() : tensor(view); };
  for (const Argument& argument : node.arguments) {
    if (argument.kind == Argument::Kind::constant) {
      call.arguments.push_back(argument.value);
    } else if (argument.kind == Argument::Kind::tensor) {
      call.arguments.emplace_back(value_of(argument.views[0]));
    } else if (argument.kind == Argument::Kind::tensors) {
      c10::List<at::Tensor> list;
      for (const int view : argument.views) list.push_back(value_of(view));
      call.arguments.emplace_back(std::move(list));
    } else {
      c10::List<std::optional<at::Tensor>> list;
      for (const int view : argument.views)
        list.push_back(view == kNoView ? std::nullopt : std::optional(value_of(view)));
      call.arguments.emplace_back(std::move(list));
    }
  }
  size_t number = 0;
  for (const Argument& result : node.results)
    for (const int view : result.views) {
      const bool is_new =
          view != kNoView &&
          std::ranges::find(node.makes, program_.views[view].buffer) != node.makes.end();
      if (is_new) call.made.push_back({number, tensor(view)});
      ++number;
    }
  return call;
}

void TorchExecutable::bind_outputs(const CompileOptions& options) {
  arrivals_.resize(program_.outputs.size());
  for (size_t i = 0; i < program_.wanted.size(); ++i) {
    const int view = program_.outputs[program_.wanted[i]];
    if (const Program::Rows* const rows = program_.rows_of(program_.wanted[i])) {
      outputs_.push_back(from_aten(at::_sparse_coo_tensor_unsafe(
          tensor(rows->indices).view({1, -1}), tensor(view), rows->table)));
      arrivals_[program_.wanted[i]] = Arrival::elsewhere;
      continue;
    }
    const at::Tensor place =
        i < options.output_buffers.size() ? to_aten(options.output_buffers[i]) : at::Tensor();
    at::Tensor value = view == kNoView ? at::Tensor() : tensor(view);
    const bool elsewhere = place.defined() && value.defined() && value.is_contiguous() &&
                           place.const_data_ptr() != value.const_data_ptr();
    if (elsewhere) {
      arrivals_[program_.wanted[i]] = Arrival::copied;
      copies_.push_back({place.variable_data(), value});
      value = place;
    }
    const bool arrives = !place.defined() || (value.defined() && value.is_contiguous());
    if (!arrives) arrivals_[program_.wanted[i]] = Arrival::elsewhere;
    outputs_.push_back(value.defined() ? from_aten(value.detach()) : Tensor());
  }
}

// The number of steps after which nobody writes to the output any more.
size_t TorchExecutable::written_by(uint32_t output) const {
  if (arrivals_[output] == Arrival::copied) return kCopied;
  const int view = program_.outputs[output];
  if (view == kNoView) return 0;
  size_t last = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const std::vector<int>& writes = program_.nodes[steps_[i].node].writes;
    if (std::ranges::find(writes, program_.views[view].buffer) != writes.end()) last = i + 1;
  }
  return last;
}

void TorchExecutable::bind_parts(const CompileOptions& options) {
  const auto stays = [&](uint32_t output) { return arrivals_[output] == Arrival::elsewhere; };
  for (size_t part = 0; part < options.parts.size(); ++part) {
    if (std::ranges::any_of(options.parts[part], stays)) continue;
    size_t last = 0;
    for (const uint32_t output : options.parts[part]) last = std::max(last, written_by(output));
    parts_.push_back({last, part});
  }
  std::ranges::stable_sort(parts_, {}, &Part::steps);
}

void TorchExecutable::bind_inputs() {
  for (const Program::Input& input : program_.inputs)
    slots_.push_back({input.slot, input.view, program_.views[input.view].contiguous(),
                      tensor(input.view).numel() ? address(input.view) : nullptr});
  std::ranges::stable_sort(slots_, {}, &Slot::number);
}

bool TorchExecutable::uses(uint32_t slot) const {
  return std::ranges::binary_search(slots_, slot, {}, &Slot::number);
}

void TorchExecutable::set(uint32_t slot, const Tensor& value) {
  for (const Slot& place : std::ranges::equal_range(slots_, slot, {}, &Slot::number)) {
    const at::Tensor& to = tensor(place.view);
    const auto* from = static_cast<const c10::TensorImpl*>(value.impl());
    if (from->sizes() == to.sizes() && from->strides() == to.strides() &&
        from->dtype() == to.dtype() && from->device().is_cpu() && place.dense && !from->is_conj() &&
        !from->is_neg()) {
      if (place.address && place.address != from->data())
        std::memcpy(place.address, from->data(), to.nbytes());
    } else {
      const at::AutoDispatchBelowADInplaceOrView no_graph;
      to.copy_(to_aten(value));
    }
  }
}

void TorchExecutable::run(uint64_t counter, const Notify& notify) {
  const at::AutoDispatchBelowADInplaceOrView no_graph;
  counter_ = counter;
  size_t next = 0;
  const size_t parts = notify ? parts_.size() : 0;
  for (size_t i = 0; i < parts && parts_[i].steps != kCopied; ++i) {
    run_steps(parts_[i].steps, next);
    notify(parts_[i].number);
  }
  run_steps(steps_.size(), next);
  for (const Copy& copy : copies_) copy.to.copy_(copy.from);
  for (size_t i = 0; i < parts; ++i)
    if (parts_[i].steps == kCopied) notify(parts_[i].number);
}

void TorchExecutable::run_steps(size_t end, size_t& next) {
  const Step* step = steps_.data() + next;
  const Step* const last = steps_.data() + end;
  const auto stopped = [&] { return stop_ && stop_->load(std::memory_order_relaxed); };
  try {
    for (; step != last && !stopped(); ++step) step->run();
  } catch (...) {
    stack_.clear();
    rethrow(program_.nodes[step->node].name + " of a recorded program");
  }
  if (step != last) throw_if_stopped(stop_);
  next = end;
}

std::vector<double> TorchExecutable::time(uint64_t counter) {
  using Clock = std::chrono::steady_clock;
  const at::AutoDispatchBelowADInplaceOrView no_graph;
  counter_ = counter;
  std::vector<double> microseconds;
  microseconds.reserve(steps_.size());
  for (const Step& step : steps_) {
    const Clock::time_point start = Clock::now();
    at_place(program_.nodes[step.node].name + " of a recorded program", step.run);
    const std::chrono::duration<double, std::micro> passed = Clock::now() - start;
    microseconds.push_back(passed.count());
  }
  return microseconds;
}

void TorchExecutable::poison() {
  std::memset(values_, kPoison, values_bytes_);
  for (size_t i = 0; i < program_.buffers.size(); ++i)
    if (program_.buffers[i].kind == Buffer::Kind::value && program_.buffers[i].held)
      std::memset(storages_[i].mutable_data(), kPoison, program_.buffers[i].bytes);
}

std::string TorchExecutable::text() const { return text_of(program_); }

}  // namespace broch::compiler
