// recorder.cpp: describes operators one after the other.
#include "record/recorder.hpp"

#include <ATen/ops/empty_like.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>

#include "compiler/aten.hpp"
#include "compiler/recorded_program.hpp"
#include "kernel.hpp"
#include "record/key.hpp"
#include "site_draw.hpp"

namespace broch::libtorch {
namespace {

thread_local constinit TorchRecorder* innermost = nullptr;

const c10::StorageImpl* storage_of(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

bool has_plain_memory(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && tensor.has_storage() && !tensor.is_quantized() &&
         tensor.device().is_cpu();
}

bool is_tensor_list(const c10::IValue& value) {
  if (value.isTensorList()) return true;
  if (!value.isList()) return false;
  const auto elements = value.toListRef();
  return std::ranges::any_of(elements, [](const c10::IValue& e) { return e.isTensor(); });
}

// These change what memory a tensor uses, so descriptions of it would become wrong.
bool moves_memory(const std::string& name) {
  return name == "aten::resize_" || name == "aten::resize_as_" || name.starts_with("aten::set_") ||
         name == "aten::set_data";
}

// Whether the operator updates running_mean and running_var, which its schema does not say. The
// other forms of batch norm on the CPU say it, or call one of these.
bool writes_statistics(const std::string& name, std::span<const c10::IValue> arguments) {
  return (name == "aten::native_batch_norm" && arguments[5].toBool()) ||
         name == "aten::batch_norm_update_stats";
}

// Of an index it is the masks that decide how many elements there are. Two operators lack the tag.
bool shape_depends_on_values(const c10::OperatorHandle& op,
                             std::span<const c10::IValue> arguments) {
  const std::string& name = op.operator_name().name;
  if (name == "aten::_pack_padded_sequence" || name == "aten::_unique") return true;
  if (!op.hasTag(at::Tag::dynamic_output_shape)) return false;
  if (name != "aten::index") return true;
  return std::ranges::any_of(arguments[1].toListRef(), [](const c10::IValue& index) {
    if (!index.isTensor() || !index.toTensor().defined()) return false;
    const at::ScalarType dtype = index.toTensor().scalar_type();
    return dtype == at::kBool || dtype == at::kByte;
  });
}

}  // namespace

TorchRecorder* TorchRecorder::current() { return innermost; }

TorchRecorder::TorchRecorder() : outer_(innermost) { innermost = this; }
TorchRecorder::~TorchRecorder() { innermost = outer_; }

void TorchRecorder::refuse(const std::string& why) {
  if (refusal_.empty()) refusal_ = part_.empty() ? why : part_ + ": " + why;
}

int TorchRecorder::find(const at::Tensor& tensor) const {
  const auto found = buffers_.find(storage_of(tensor));
  return found == buffers_.end() ? -1 : found->second;
}

int TorchRecorder::add(const at::Tensor& tensor, Buffer buffer) {
  buffer.bytes = tensor.storage().nbytes();
  const auto number = static_cast<int>(program_.buffers.size());
  program_.buffers.push_back(std::move(buffer));
  pins_.push_back(tensor.storage().getWeakStorageImpl());
  buffers_[storage_of(tensor)] = number;
  return number;
}

int TorchRecorder::add_constant(const at::Tensor& tensor) {
  Buffer buffer;
  buffer.kind = Buffer::Kind::constant;
  const c10::Storage& storage = tensor.storage();
  c10::Storage copy(c10::Storage::use_byte_size_t(), storage.nbytes(), c10::GetCPUAllocator(),
                    false);
  if (storage.nbytes()) std::memcpy(copy.mutable_data(), storage.data(), storage.nbytes());
  buffer.held = std::move(copy);
  return add(tensor, std::move(buffer));
}

Tensor TorchRecorder::input(uint32_t slot, const Tensor& value) {
  const c10::impl::ExcludeDispatchKeyGuard unseen(kRecordingKey);
  const at::Tensor given = to_aten(value);
  if (!has_plain_memory(given)) {
    refuse("input " + std::to_string(slot) + " has no plain memory");
    return value;
  }
  const at::Tensor copy = at::empty_like(given).copy_(given);
  Buffer buffer;
  buffer.kind = Buffer::Kind::input;
  buffer.slot = slot;
  const int number = add(copy, std::move(buffer));
  program_.inputs.push_back({slot, view_of(copy, number)});
  return from_aten(copy);
}

void TorchRecorder::constant(const Tensor& value) {
  const at::Tensor tensor = to_aten(value);
  if (!has_plain_memory(tensor)) return;
  const int known = find(tensor);
  if (known < 0) {
    add_constant(tensor);
  } else if (program_.buffers[known].kind == Buffer::Kind::variable) {
    program_.buffers[known].kind = Buffer::Kind::constant;  // in its own memory
  }
}

void TorchRecorder::variable(const std::string& name, const Tensor& value) {
  const at::Tensor tensor = to_aten(value);
  if (!has_plain_memory(tensor)) return;
  if (const int known = find(tensor); known >= 0) {
    program_.buffers[known].variables.emplace_back(tensor.storage_offset(), name);
    return;
  }
  Buffer buffer;
  buffer.kind = Buffer::Kind::variable;
  buffer.variables.emplace_back(tensor.storage_offset(), name);
  buffer.held = tensor.storage();
  add(tensor, std::move(buffer));
}

int TorchRecorder::view_of(const at::Tensor& tensor, int buffer) {
  View view;
  view.buffer = buffer;
  view.offset = tensor.storage_offset();
  view.sizes = tensor.sizes().vec();
  view.strides = tensor.strides().vec();
  view.dtype = tensor.scalar_type();
  view.conjugate = tensor.is_conj();
  view.negative = tensor.is_neg();
  view.wrapped_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
  return program_.view_number(view);
}

// A new 0-dim tensor is a number of this call, as in `x + 1`, and becomes a constant. Any other
// tensor must have been seen before; otherwise its origin is unknown.
int TorchRecorder::argument_view(const at::Tensor& tensor, const Node& node) {
  if (!tensor.defined()) return kNoView;
  if (!has_plain_memory(tensor)) {
    refuse("operator " + node.name + " works on a tensor without plain memory");
    return kNoView;
  }
  int buffer = find(tensor);
  if (buffer < 0 && tensor.dim() == 0) buffer = add_constant(tensor);
  if (buffer < 0) {
    refuse("operator " + node.name +
           " uses a tensor that is no input, variable, hyper-parameter or recorded value");
    return kNoView;
  }
  return view_of(tensor, buffer);
}

Argument TorchRecorder::argument_of(const c10::IValue& value, Node& node) {
  Argument argument;
  if (value.isTensor()) {
    argument.kind = Argument::Kind::tensor;
    argument.views.push_back(argument_view(value.toTensor(), node));
  } else if (is_tensor_list(value)) {
    argument.kind =
        value.isTensorList() ? Argument::Kind::tensors : Argument::Kind::optional_tensors;
    for (const c10::IValue& element : value.toListRef())
      argument.views.push_back(element.isTensor() ? argument_view(element.toTensor(), node)
                                                  : kNoView);
  } else {
    argument.value = value;
  }
  for (const int view : argument.views)
    if (view != kNoView) append_new(node.reads, program_.views[view].buffer);
  return argument;
}

int TorchRecorder::result_view(const at::Tensor& tensor, Node& node) {
  if (!tensor.defined()) return kNoView;
  if (!has_plain_memory(tensor)) {
    refuse("operator " + node.name + " makes a tensor without plain memory");
    return kNoView;
  }
  int buffer = find(tensor);
  if (buffer < 0) {
    buffer = add(tensor, {});
    node.makes.push_back(buffer);
    append_new(node.writes, buffer);
  }
  return view_of(tensor, buffer);
}

Argument TorchRecorder::result_of(const c10::IValue& value, Node& node) {
  Argument result;
  if (value.isTensor()) {
    result.kind = Argument::Kind::tensor;
    result.views.push_back(result_view(value.toTensor(), node));
  } else if (is_tensor_list(value)) {
    result.kind = Argument::Kind::tensors;
    for (const c10::IValue& element : value.toListRef())
      result.views.push_back(result_view(element.toTensor(), node));
  } else if (!value.isNone() && !value.isList()) {
    refuse("operator " + node.name + " hands a number to the host");
  }
  return result;
}

void TorchRecorder::mark_writes(std::span<const c10::IValue> arguments, Node& node) {
  const c10::FunctionSchema& schema = node.op->schema();
  const bool silently = writes_statistics(node.name, arguments);
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
    const bool silent = silently && schema.arguments()[i].name().starts_with("running_");
    if (!silent && !(alias && alias->isWrite())) continue;
    for (const int view : node.arguments[i].views) {
      if (view == kNoView) continue;
      const int buffer = program_.views[view].buffer;
      append_new(node.writes, buffer);
      const Buffer& written = program_.buffers[buffer];
      if (written.kind == Buffer::Kind::value) continue;
      const std::string name = memory_name(program_, buffer, program_.views[view].offset);
      refuse("operator " + node.name + " writes to " +
             (written.kind == Buffer::Kind::constant   ? "a constant"
              : written.kind == Buffer::Kind::variable ? "variable " + name
                                                       : name));
    }
  }
}

void TorchRecorder::mark_draw(std::span<const c10::IValue> arguments, Node& node) {
  node.generator = generator_argument(node.op->schema());
  const bool draws =
      node.random || node.generator >= 0 || node.op->hasTag(at::Tag::nondeterministic_seeded);
  ActiveDraw* const draw = active_draw();
  if (!draws) return;
  if (!draw) {  // for example, dropout of an empty tensor draws no numbers
    if (node.generator >= 0 && !arguments[node.generator].isNone())
      refuse("operator " + node.name + " draws from a generator of its own");
    return;
  }
  if (draw->used && node.generator < 0 && !node.kernel)
    refuse("operator " + node.name + " draws more than once from LibTorch's own generator");
  node.random = true;
  node.draw = draw->key;
  node.ordinal = draw->used++;
}

// The last allocation at the address of a result is the result; an earlier one there was freed. An
// allocation that was neither freed nor became a result is kept by someone, and is never planned.
void TorchRecorder::settle_allocations(std::span<const c10::IValue> results, Node& node) {
  node.allocation_of.assign(node.allocations.size(), -1);
  const auto claim = [&](const at::Tensor& tensor) {
    const int buffer = tensor.defined() ? find(tensor) : -1;
    if (buffer < 0 || std::ranges::find(node.makes, buffer) == node.makes.end()) return;
    for (size_t k = node.allocations.size(); k-- > 0;) {
      const Allocation& allocation = node.allocations[k];
      if (allocation.freed || allocation.address != tensor.storage().data()) continue;
      if (allocation.bytes == program_.buffers[buffer].bytes) node.allocation_of[k] = buffer;
      return;
    }
  };
  for (const c10::IValue& value : results) {
    if (value.isTensor()) claim(value.toTensor());
    if (is_tensor_list(value))
      for (const c10::IValue& element : value.toListRef()) claim(element.toTensor());
  }
}

void TorchRecorder::call(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                         torch::jit::Stack& stack) {
  const c10::FunctionSchema& schema = op.schema();
  const size_t count = schema.arguments().size();
  Node node;
  node.name = c10::toString(op.operator_name());
  node.op = op;
  node.keys = keys;
  const std::span<const c10::IValue> arguments(stack.data() + stack.size() - count, count);
  if (const HostKernel* kernel = host_kernel_of(op, arguments)) {
    node.name = "kernel " + kernel->name;
    node.kernel = true;
    node.foreign = !kernel->meets;
    node.keeps = kernel->stateful;
    node.random = kernel->random;
  }
  if (op.hasTag(at::Tag::data_dependent_output))
    refuse("operator " + node.name + " reads a value on the host");
  if (shape_depends_on_values(op, arguments))
    refuse("the shape of what operator " + node.name + " makes depends on values");
  if (moves_memory(node.name)) refuse("operator " + node.name + " changes memory itself");
  for (const c10::IValue& value : arguments) node.arguments.push_back(argument_of(value, node));
  if (refusal_.empty()) mark_writes(arguments, node);
  mark_draw(arguments, node);
  {
    const AllocationLog log(node.allocations);
    op.redispatchBoxed(keys, &stack);
  }
  if (!refusal_.empty()) return;
  // transpose_ and the like only change how their tensor sees its memory. Later arguments are
  // described as they see it, and a replay must not change its own tensors.
  if (op.hasTag(at::Tag::inplace_view)) return;
  const size_t made = schema.returns().size();
  const std::span<const c10::IValue> results(stack.data() + stack.size() - made, made);
  for (const c10::IValue& value : results) node.results.push_back(result_of(value, node));
  settle_allocations(results, node);
  if (refusal_.empty()) program_.nodes.push_back(std::move(node));
}

std::unique_ptr<RecordedProgram> TorchRecorder::finish(std::span<const Tensor> outputs,
                                                       std::vector<std::string> names) {
  program_.output_names = std::move(names);
  for (size_t i = 0; i < outputs.size() && refusal_.empty(); ++i) {
    const at::Tensor tensor = to_aten(outputs[i]);
    int view = kNoView;
    if (tensor.defined() && !has_plain_memory(tensor)) {
      refuse("output " + std::to_string(i) + " has no plain memory");
    } else if (tensor.defined()) {
      const int known = find(tensor);
      if (known < 0)
        refuse("output " + std::to_string(i) + " is no input, variable or recorded value");
      else
        view = view_of(tensor, known);
    }
    program_.outputs.push_back(view);
  }
  if (!refusal_.empty()) return nullptr;
  buffers_.clear();  // later calls do not belong to the program
  pins_.clear();
  return std::make_unique<TorchRecordedProgram>(std::exchange(program_, {}));
}

}  // namespace broch::libtorch
