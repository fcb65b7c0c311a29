// mixed_precision.cpp: LibTorch's autocast, completed for the CPU.
//
// LibTorch decides by three lists (aten/src/ATen/autocast_mode.cpp): operators that take bfloat16,
// operators that take float32, and operators whose arguments all get the widest type. For the CPU
// they leave out reductions, and operators that are reached only in other ways, such as
// aten::convolution. These follow the lists for CUDA (ATen/autocast_mode.h). Operators in no list
// compute in the types that they get.
#include "mixed_precision.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/cpu/Utils.h>
#include <c10/util/Exception.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/aten.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

using torch::jit::Stack;

thread_local constinit bool is_mixed = false;

bool is_half(at::ScalarType type) { return type == at::kBFloat16 || type == at::kHalf; }

// Casts tensors on the CPU, if they have the type `from`, or any type of 16 bits for kHalf.
at::Tensor cast(const at::Tensor& tensor, at::ScalarType to) {
  if (!tensor.defined() || !tensor.device().is_cpu()) return tensor;
  const at::ScalarType type = tensor.scalar_type();
  const bool fits = to == at::kFloat ? is_half(type) : type == at::kFloat;
  return fits ? tensor.to(to) : tensor;
}

// Calls body(tensor) for each tensor of the arguments, and puts what it returns in its place.
template <class Body>
void replace_tensors(std::span<c10::IValue> arguments, const Body& body) {
  for (c10::IValue& value : arguments) {
    if (value.isTensor()) {
      value = body(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorList()) list.push_back(body(tensor));
      value = std::move(list);
    }
  }
}

bool has_float32(std::span<c10::IValue> arguments) {
  bool found = false;
  replace_tensors(arguments, [&](const at::Tensor& tensor) {
    found |= tensor.defined() && tensor.scalar_type() == at::kFloat;
    return tensor;
  });
  return found;
}

enum class Type : uint8_t { bfloat16, float32, widest };

template <Type kType>
void call_with(const c10::OperatorHandle& op, Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard once(c10::autocast_dispatch_keyset);
  const size_t count = op.schema().arguments().size();
  const std::span<c10::IValue> arguments(stack->data() + stack->size() - count, count);
  const bool narrow = kType == Type::bfloat16;
  if (kType != Type::widest || has_float32(arguments))
    replace_tensors(arguments, [&](const at::Tensor& tensor) {
      return cast(tensor, narrow ? at::kBFloat16 : at::kFloat);
    });
  op.callBoxed(stack);
}

constexpr std::array kBfloat16{"convolution", "mv", "addmv", "addr"};
constexpr std::array kWidest{"addcdiv", "addcmul",   "atan2",       "bilinear",      "cross",
                             "dot",     "index_add", "index_put",   "lerp",          "scatter",
                             "vdot",    "tensordot", "scatter_add", "masked_scatter"};
constexpr std::array kFloat32{"cosine_similarity",
                              "cumprod",
                              "cumsum",
                              "dist",
                              "exp",
                              "expm1",
                              "log",
                              "log10",
                              "log1p",
                              "log2",
                              "log_softmax",
                              "norm",
                              "logsumexp",
                              "mean",
                              "nansum",
                              "nll_loss_nd",
                              "pow",
                              "linalg_vector_norm",
                              "reciprocal",
                              "renorm",
                              "rsqrt",
                              "softmax",
                              "softplus",
                              "std",
                              "std_mean",
                              "sum",
                              "var",
                              "var_mean"};
// These are many times slower in bfloat16 than Broch's own kernels in float32, or than LibTorch's:
// the gradient of attention over 64 tokens takes 100 ms in place of 0.5 ms. LibTorch has attention
// in its list for bfloat16, and gelu in none.
constexpr std::array kFasterInFloat32{"scaled_dot_product_attention", "gelu"};

bool writes_arguments(const c10::FunctionSchema& schema) {
  for (const c10::Argument& argument : schema.arguments())
    if (argument.alias_info() && argument.alias_info()->isWrite()) return true;
  return false;
}

using Registrations = std::vector<c10::RegistrationHandleRAII>;

// All overloads with these names. LibTorch's own lists decide first, unless `overrules`.
template <Type kType>
void add(Registrations& all, std::span<const char* const> names, bool overrules = false) {
  constexpr c10::DispatchKey kKey = c10::DispatchKey::AutocastCPU;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (!name.name.starts_with("aten::")) continue;
    const std::string_view plain = std::string_view(name.name).substr(6);
    if (std::ranges::find(names, plain) == names.end()) continue;
    const auto op = dispatcher.findSchema(name);
    if (!op || writes_arguments(op->schema())) continue;
    if (!overrules && op->hasKernelForDispatchKey(kKey)) continue;
    all.push_back(dispatcher.registerImpl(
        name, kKey, c10::KernelFunction::makeFromBoxedFunction<&call_with<kType>>(), std::nullopt,
        nullptr, "broch: mixed precision"));
  }
}

struct SilentHandler final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

void complete_lists() {
  static SilentHandler silent;
  static const Registrations all = [] {
    Registrations made;
    add<Type::bfloat16>(made, kBfloat16);
    add<Type::float32>(made, kFloat32);
    add<Type::widest>(made, kWidest);
    const c10::WarningUtils::WarningHandlerGuard no_warning_of_overruling(&silent);
    add<Type::float32>(made, kFasterInFloat32, true);
    return made;
  }();
}

}  // namespace

bool MixedPrecision::is_on() { return is_mixed; }

MixedPrecision::MixedPrecision(bool on)
    : on_before_(std::exchange(is_mixed, on)),
      enabled_before_(at::autocast::is_autocast_enabled(at::kCPU)),
      cache_before_(at::autocast::is_autocast_cache_enabled()) {
  complete_lists();
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_cache_enabled(false);
  at::autocast::set_autocast_enabled(at::kCPU, on);
}

MixedPrecision::~MixedPrecision() {
  at::autocast::set_autocast_enabled(at::kCPU, enabled_before_);
  at::autocast::set_autocast_cache_enabled(cache_before_);
  is_mixed = on_before_;
}

std::unique_ptr<StepGuard> TorchBackend::mix_precision() {
  return std::make_unique<MixedPrecision>(true);
}

Tensor TorchBackend::widened(const Tensor& tensor) {
  const at::Tensor value = to_aten(tensor);
  if (!value.defined() || value.scalar_type() != at::kBFloat16) return tensor;
  return at_place("widened", [&] { return from_aten(value.to(at::kFloat)); });
}

bool TorchBackend::multiplies_bf16() const {
  const auto facts = at::cpu::get_cpu_capabilities();
  const auto has = [&](const char* name) {
    const auto found = facts.find(name);
    return found != facts.end() && found->second.toBool();
  };
  return has("avx512_bf16") || has("amx_bf16");
}

}  // namespace broch::libtorch
