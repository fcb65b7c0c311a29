// kernel.cpp: calls host code through an operator broch::host_kernel, so that it can be recorded
// like any other operator.
#include "kernel.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>

#include "compiler/aten.hpp"
#include "compiler/draw.hpp"
#include "record/recorder.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

using torch::jit::Stack;

// The first argument of the operator.
struct HostCall final : torch::CustomClassHolder {
  HostCall(std::shared_ptr<const HostKernel> kernel, std::span<const TensorInfo> outputs)
      : kernel(std::move(kernel)), outputs(outputs.begin(), outputs.end()) {}
  std::shared_ptr<const HostKernel> kernel;
  std::vector<TensorInfo> outputs;
};

// An undefined tensor is described with dtype.bits 0.
broch_dl_tensor described(const at::Tensor& tensor) {
  broch_dl_tensor data{};
  data.device.device_type = BROCH_DL_CPU;
  if (!tensor.defined()) return data;
  data.data = tensor.data_ptr();
  data.ndim = static_cast<int32_t>(tensor.dim());
  data.dtype = to_dl(from_aten(tensor.scalar_type()));
  data.shape = const_cast<int64_t*>(tensor.sizes().data());
  return data;
}

std::vector<broch_dl_tensor> described(const std::vector<at::Tensor>& tensors) {
  std::vector<broch_dl_tensor> data;
  for (const at::Tensor& tensor : tensors) data.push_back(described(tensor));
  return data;
}

at::Tensor plain(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.resolve_conj().resolve_neg().contiguous() : tensor;
}

at::Tensor room_for(const TensorInfo& info) {
  if (!info.dtype) return {};
  return at::empty({info.shape.dims.data(), info.shape.rank}, to_aten(info.dtype));
}

void run_host_kernel(const c10::OperatorHandle&, Stack* stack) {
  std::vector<at::Tensor> inputs, outputs;
  for (const at::Tensor& input : torch::jit::pop(*stack).toTensorVector())
    inputs.push_back(plain(input));
  const auto held = torch::jit::pop(*stack).toCapsule();
  const HostCall& call = *static_cast<const HostCall*>(held.get());
  for (const TensorInfo& info : call.outputs) outputs.push_back(room_for(info));
  const ActiveDraw* const draw = active_draw();
  call.kernel->run(described(inputs), described(outputs), draw ? draw->key : DrawKey{});
  stack->emplace_back(c10::List<at::Tensor>(outputs));
}

const c10::OperatorHandle& host_operator() {
  using c10::Argument, c10::ListType;
  auto& dispatcher = c10::Dispatcher::singleton();
  static const c10::FunctionSchema schema(
      "broch::host_kernel", "",
      {Argument("kernel", c10::CapsuleType::get()), Argument("inputs", ListType::ofTensors())},
      {Argument("", ListType::ofTensors())});
  static const c10::RegistrationHandleRAII defined =
      dispatcher.registerDef(schema, "broch: host kernels");
  // For every device, and for calls without a tensor.
  static const c10::RegistrationHandleRAII implemented =
      dispatcher.registerImpl(schema.operator_name(), c10::DispatchKey::CompositeExplicitAutograd,
                              c10::KernelFunction::makeFromBoxedFunction<&run_host_kernel>(),
                              std::nullopt, nullptr, "broch: host kernels");
  static const c10::OperatorHandle handle = dispatcher.findSchemaOrThrow("broch::host_kernel", "");
  return handle;
}

}  // namespace

const HostKernel* host_kernel_of(const c10::OperatorHandle& op,
                                 std::span<const c10::IValue> arguments) {
  if (op.operator_name().name != "broch::host_kernel") return nullptr;
  return static_cast<const HostCall*>(arguments[0].toCapsule().get())->kernel.get();
}

std::vector<Tensor> TorchBackend::call(std::shared_ptr<const HostKernel> kernel,
                                       std::span<const Tensor> inputs,
                                       std::span<const TensorInfo> outputs) {
  return at_place("kernel '" + kernel->name + "'", [&] {
    ActiveDraw draw;
    std::optional<DrawScope> drawing;
    if (kernel->random) {
      if (Draws* draws = current_draws()) draw.key = draws->next("kernel " + kernel->name);
      drawing.emplace(&draw);
    }
    c10::List<at::Tensor> list;
    for (const Tensor& input : inputs) list.push_back(to_aten(input));
    Stack stack;
    stack.emplace_back(c10::IValue::make_capsule(c10::make_intrusive<HostCall>(kernel, outputs)));
    stack.emplace_back(std::move(list));
    const at::AutoDispatchBelowADInplaceOrView no_graph;
    host_operator().callBoxed(stack);
    return from_aten(stack.back().toTensorVector());
  });
}

}  // namespace broch::libtorch
