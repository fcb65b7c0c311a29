// key.cpp: one boxed fallback that is called for all operators.
#include "record/key.hpp"

#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "compiler/aten.hpp"
#include "record/recorder.hpp"
#include "site_draw.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

thread_local constinit bool keys_draws = false;

// Calls the operator through the recorder, if there is one.
void call_below(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack& stack) {
  TorchRecorder* const recorder = TorchRecorder::current();
  if (!recorder || !recorder->refusal().empty()) return op.redispatchBoxed(keys, &stack);
  recorder->call(op, keys, stack);
}

bool draws_unkeyed(const c10::OperatorHandle& op) {
  return keys_draws && !active_draw() && current_draws() &&
         op.hasTag(at::Tag::nondeterministic_seeded);
}

void on_operator(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 torch::jit::Stack* stack) {
  const c10::DispatchKeySet below =
      keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kRecordingKey);
  const c10::impl::ExcludeDispatchKeyGuard below_the_key(kRecordingKey);
  if (!draws_unkeyed(op)) return call_below(op, below, *stack);
  const c10::FunctionSchema& schema = op.schema();
  const int generator = generator_argument(schema);
  const size_t count = schema.arguments().size();
  const std::span<c10::IValue> arguments(stack->data() + stack->size() - count, count);
  if (generator >= 0 && !arguments[generator].isNone()) return call_below(op, below, *stack);
  const SiteDraw drawing(*current_draws(), c10::toString(op.operator_name()), generator, arguments);
  call_below(op, below, *stack);
}

std::string registered() {
  try {
    static const c10::RegistrationHandleRAII fallback =
        c10::Dispatcher::singleton().registerFallback(
            kRecordingKey, c10::KernelFunction::makeFromBoxedFunction<&on_operator>(),
            "broch: recorder");
    return "";
  } catch (const std::exception& error) {
    return std::string("the dispatch key ") + c10::toString(kRecordingKey) + " is taken";
  }
}

std::string self_tested() {
  const c10::AutoGradMode gradients(true);
  TorchRecorder recorder;
  const at::Tensor known = to_aten(recorder.input(0, from_aten(at::ones({2, 2})))).requires_grad_();
  const at::Tensor y = at::sum(at::mul(known, known));
  const at::Tensor slope = torch::autograd::grad({y}, {known})[0];
  std::vector<std::string> names;
  for (const Node& node : recorder.program().nodes) names.push_back(node.name);
  const auto count = [&](const char* name) { return std::ranges::count(names, name); };
  if (count("aten::mul.Tensor") >= 2 && count("aten::sum") == 1 && recorder.refusal().empty())
    return "";
  return "a small gradient was recorded as " + c10::str(names);
}

}  // namespace

ForeignCalls::ForeignCalls() : outer_(std::exchange(keys_draws, true)) {}
ForeignCalls::~ForeignCalls() { keys_draws = outer_; }

const std::string& recording_problem() {
  static const std::string problem = [] {
    install_allocator();
    const std::string taken = registered();
    return taken.empty() ? self_tested() : taken;
  }();
  return problem;
}

}  // namespace broch::libtorch
