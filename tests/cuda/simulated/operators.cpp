// operators.cpp: operators of simulated devices: those of the CPU, on the same memory.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <optional>
#include <vector>

#include "aliases.hpp"
#include "hooks.hpp"
#include "memory.hpp"
#include "streams.hpp"

namespace broch::simulated {
namespace {

constexpr c10::DispatchKeySet kCudaKeys(c10::DispatchKey::CUDA);

// While it exists, the CPU's default generator draws what a generator of the device says.
class Seeded {
 public:
  explicit Seeded(const at::Generator& of_device)
      : processor_(at::detail::getDefaultCPUGenerator()), before_(processor_.get_state()) {
    processor_.set_current_seed(next_seed(of_device));
  }
  ~Seeded() { processor_.set_state(before_); }
  Seeded(const Seeded&) = delete;
  Seeded& operator=(const Seeded&) = delete;

 private:
  at::Generator processor_;
  at::Tensor before_;
};

// What the schema says about a result: it is argument `n`, changed in place.
std::optional<size_t> same_as(const c10::FunctionSchema& schema, size_t result) {
  const c10::AliasInfo* const info = schema.returns()[result].alias_info();
  if (!info || !info->isWrite()) return std::nullopt;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::AliasInfo* const given = schema.arguments()[i].alias_info();
    if (given && given->beforeSets() == info->beforeSets()) return i;
  }
  return std::nullopt;
}

void follow_changes(const c10::FunctionSchema& schema, const std::vector<c10::IValue>& given,
                    const std::vector<c10::IValue>& hosts, Aliases& aliases) {
  for (size_t i = 0; i < given.size(); ++i) {
    const c10::AliasInfo* const info = schema.arguments()[i].alias_info();
    if (!info || !info->isWrite()) continue;
    if (given[i].isTensor() && given[i].toTensor().is_cuda())
      aliases.follow(given[i].toTensor(), hosts[i].toTensor());
  }
}

// Such as aten::index and aten::index_put_; aten::_ctc_loss takes lengths on the CPU.
bool takes_tensors_of_host(const std::string& name) {
  return name.find("index") != std::string::npos || name == "aten::_ctc_loss";
}

// Any operator without a kernel of its own.
void run_on_processor(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const std::vector<c10::IValue> given(stack->end() - long(schema.arguments().size()),
                                       stack->end());
  Aliases aliases;
  std::vector<c10::IValue> hosts;
  for (const c10::IValue& value : given) hosts.push_back(aliases.argument(value));
  if (!takes_tensors_of_host(schema.name())) aliases.require_one_device(schema.name());
  TORCH_CHECK(op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU), schema.name(),
              " is an operator of GPUs alone, which the simulation does not have");
  drain(aliases.device(), current_stream(aliases.device()));
  std::optional<Seeded> seeded;
  if (aliases.generator() || op.hasTag(at::Tag::nondeterministic_seeded))
    seeded.emplace(aliases.generator().value_or(default_generator(aliases.device())));
  torch::jit::drop(*stack, given.size());
  stack->insert(stack->end(), hosts.begin(), hosts.end());
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  follow_changes(schema, given, hosts, aliases);
  const size_t results = schema.returns().size();
  for (size_t i = 0; i < results; ++i) {
    c10::IValue& result = *(stack->end() - long(results - i));
    const std::optional<size_t> same = same_as(schema, i);
    result = same ? given[*same] : aliases.result(result);
  }
}

c10::DeviceIndex index_of(std::optional<at::Device> device) {
  return device && device->has_index() ? device->index() : current_device();
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  const OnDevice on(index_of(device));
  return at::detail::empty_generic(size, device_allocator(), kCudaKeys,
                                   c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                         std::optional<at::Device> device, std::optional<bool>) {
  const OnDevice on(index_of(device));
  return at::detail::empty_strided_generic(size, stride, device_allocator(), kCudaKeys,
                                           c10::dtype_or_default(dtype));
}

// To, from and between devices. From page-locked memory the copy waits in a stream that is not the
// default one. Single numbers are not counted.
at::Tensor& copy(at::Tensor& self, const at::Tensor& source, bool non_blocking) {
  Aliases aliases;
  const at::Tensor to = aliases.on_host(self), from = aliases.on_host(source);
  const c10::DeviceIndex device = aliases.device();
  const c10::StreamId stream = current_stream(device);
  const bool to_device = self.is_cuda() && source.is_cpu() && source.numel() > 1;
  const bool ahead =
      to_device && stream != 0 && non_blocking && is_page_locked(source.const_data_ptr());
  if (to_device) count_copy(device, ahead);
  enqueue(device, stream, [to, from, self, source] {
    const c10::impl::ForceDispatchKeyGuard plain({}, {});  // whatever the thread does that waits
    to.copy_(from);
  });
  if (!ahead) drain(device, stream);
  return self;
}

// One algorithm for all: others have kernels for real GPUs alone. So do the losses of cuDNN and
// MIOpen.
bool uses_other_ctc(const at::Tensor&, const at::Tensor&, at::IntArrayRef, at::IntArrayRef,
                    int64_t) {
  return false;
}
bool uses_other_ctc_of_tensors(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                               const at::Tensor&, int64_t) {
  return false;
}
int64_t choose_attention(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                         const std::optional<at::Tensor>&, double, bool, std::optional<double>,
                         bool) {
  return 0;  // sdp::SDPBackend::math
}

}  // namespace
}  // namespace broch::simulated

TORCH_LIBRARY_IMPL(_, CUDA, library) {
  library.fallback(
      torch::CppFunction::makeFromBoxedFunction<&broch::simulated::run_on_processor>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("empty.memory_format", broch::simulated::empty);
  library.impl("empty_strided", broch::simulated::empty_strided);
  library.impl("copy_", broch::simulated::copy);
  library.impl("_fused_sdp_choice", broch::simulated::choose_attention);
  for (const std::string name : {"_use_cudnn_ctc_loss", "_use_miopen_ctc_loss"}) {
    library.impl(name.c_str(), broch::simulated::uses_other_ctc);
    library.impl((name + ".Tensor").c_str(), broch::simulated::uses_other_ctc_of_tensors);
  }
  // The one for all devices asks for kernels of GPUs.
  library.impl("convolution_backward",
               torch::CppFunction::makeFromBoxedFunction<&broch::simulated::run_on_processor>());
}
