// call.cpp: one operator call: converts plain values to LibTorch's boxed values and back.
#include <ATen/ops/ones_like.h>

#include <deque>
#include <initializer_list>

#include "compiler/aten.hpp"
#include "site_draw.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

using torch::jit::Stack;

// A stack of this thread, which is empty when it is returned. Calls are nested if an operator runs
// host code.
class StackLease {
 public:
  StackLease() : pool_(pool()) {
    if (pool_.used == pool_.stacks.size()) pool_.stacks.emplace_back();
    stack_ = &pool_.stacks[pool_.used++];
  }
  ~StackLease() {
    stack_->clear();
    --pool_.used;
  }
  StackLease(const StackLease&) = delete;
  StackLease& operator=(const StackLease&) = delete;
  Stack& stack() { return *stack_; }

 private:
  struct Pool {
    std::deque<Stack> stacks;  // a deque keeps addresses valid
    size_t used = 0;
  };
  static Pool& pool() {
    thread_local Pool pool;
    return pool;
  }
  Pool& pool_;
  Stack* stack_;
};

std::string tag_name(uint32_t tag) {
  static constexpr const char* kNames[] = {"NONE",  "TENSOR", "INT",     "DOUBLE",  "BOOL", "STR",
                                           "DTYPE", "INTS",   "DOUBLES", "TENSORS", "BOOLS"};
  return tag < std::size(kNames) ? kNames[tag] : "a tag " + std::to_string(tag);
}

constexpr uint32_t tags(std::initializer_list<uint32_t> list) {
  uint32_t bits = 0;
  for (const uint32_t tag : list) bits |= 1u << tag;
  return bits;
}

// What each kind of argument accepts, by Kind.
struct Accepted {
  uint32_t tags;
  const char* words;
};
constexpr Accepted kAccepted[] = {
    {tags({BROCH_TAG_TENSOR}), "TENSOR"},
    {tags({BROCH_TAG_INT}), "INT"},
    {tags({BROCH_TAG_DOUBLE, BROCH_TAG_INT}), "DOUBLE or INT"},
    {tags({BROCH_TAG_BOOL}), "BOOL"},
    {tags({BROCH_TAG_DOUBLE, BROCH_TAG_INT, BROCH_TAG_BOOL}), "DOUBLE, INT or BOOL"},
    {tags({BROCH_TAG_STR}), "STR"},
    {tags({BROCH_TAG_DTYPE}), "DTYPE"},
    {0, "NONE"},
    {tags({BROCH_TAG_TENSORS}), "TENSORS"},
    {tags({BROCH_TAG_TENSORS}), "TENSORS"},
    {tags({BROCH_TAG_INTS}), "INTS"},
    {tags({BROCH_TAG_DOUBLES}), "DOUBLES"},
    {tags({BROCH_TAG_BOOLS}), "BOOLS"},
    {0, "no value: this argument cannot be given"},
};
static_assert(std::size(kAccepted) == static_cast<size_t>(Kind::other) + 1);

const Accepted& accepted_by(const Slot& slot) { return kAccepted[static_cast<size_t>(slot.kind)]; }

bool accepts(const Slot& slot, uint32_t tag) {
  return tag < 32 && (accepted_by(slot).tags >> tag & 1);
}

std::string where_of(const Operator& op, const Slot& slot) {
  return "operator " + op.name + ", argument '" + slot.name + "' (" + slot.type + ")";
}

[[noreturn]] void refuse_value(const Operator& op, const Slot& slot, const RawValue& value) {
  std::string expected = accepted_by(slot).words;
  if (slot.optional && slot.kind != Kind::host) expected += " or NONE";
  throw OperatorError(BROCH_E_INVALID_ARGUMENT,
                      base::Diagnostic{where_of(op, slot), "found " + tag_name(value.tag), expected,
                                       "arguments go in the order of the declared schema"});
}

void* impl_of(broch_tensor handle) { return reinterpret_cast<void*>(handle); }

// Operators do not check whether a tensor is undefined.
at::Tensor defined(const Operator& op, const Slot& slot, void* impl) {
  if (impl) return to_aten(impl);
  throw OperatorError(BROCH_E_INVALID_ARGUMENT,
                      base::Diagnostic{where_of(op, slot), "found an undefined tensor", "a tensor",
                                       "pass what an operator, a layer or an input gave"});
}

c10::IValue tensors_of(const Operator& op, const Slot& slot, const RawValue& value) {
  c10::List<at::Tensor> list;
  list.reserve(value.len);
  for (uint32_t i = 0; i < value.len; ++i)
    list.push_back(defined(op, slot, impl_of(value.u.tensors[i])));
  return list;
}

c10::IValue optional_tensors_of(const RawValue& value) {
  using Element = std::optional<at::Tensor>;
  c10::List<Element> list;
  list.reserve(value.len);
  for (uint32_t i = 0; i < value.len; ++i) {
    void* const impl = impl_of(value.u.tensors[i]);
    list.push_back(impl ? Element(to_aten(impl)) : std::nullopt);
  }
  return list;
}

c10::IValue booleans_of(const RawValue& value) {
  c10::List<bool> list;
  list.reserve(value.len);
  for (uint32_t i = 0; i < value.len; ++i) list.push_back(value.u.bools[i] != 0);
  return list;
}

c10::IValue number_of(const RawValue& value) {
  if (value.tag == BROCH_TAG_DOUBLE) return value.u.f64;
  if (value.tag == BROCH_TAG_BOOL) return value.u.i64 != 0;
  return value.u.i64;
}

// Whether NONE stands for the default: for lists, since callers in C pass NULL, and for arguments
// that a plugin cannot pass.
bool has_none_as_default(Kind kind) {
  return kind == Kind::host || kind == Kind::integers || kind == Kind::floatings ||
         kind == Kind::booleans;
}

c10::IValue converted(const Operator& op, const Slot& slot, const RawValue& value) {
  if (value.tag == BROCH_TAG_NONE) {
    if (slot.optional) return {};
    if (slot.has_default && has_none_as_default(slot.kind)) return slot.default_value;
  }
  if (!accepts(slot, value.tag)) refuse_value(op, slot, value);
  switch (slot.kind) {
    case Kind::tensor:
      if (slot.optional && !value.u.tensor) return {};
      return defined(op, slot, impl_of(value.u.tensor));
    case Kind::integer:
      return value.u.i64;
    case Kind::floating:
      return value.tag == BROCH_TAG_INT ? static_cast<double>(value.u.i64) : value.u.f64;
    case Kind::boolean:
      return value.u.i64 != 0;
    case Kind::scalar:
      return number_of(value);
    case Kind::string:
      return std::string(value.u.str, value.len);
    case Kind::dtype:
      return static_cast<int64_t>(to_aten(static_cast<broch_dtype>(value.u.i64)));
    case Kind::tensors:
      return tensors_of(op, slot, value);
    case Kind::optional_tensors:
      return optional_tensors_of(value);
    case Kind::integers:
      return at::IntArrayRef(value.u.i64s, value.len);
    case Kind::floatings:
      return at::ArrayRef<double>(value.u.f64s, value.len);
    case Kind::booleans:
      return booleans_of(value);
    case Kind::host:
    case Kind::other:
      break;
  }
  return {};
}

c10::IValue missing(const Operator& op, const Slot& slot) {
  if (slot.has_default) return slot.default_value;
  throw OperatorError(BROCH_E_INVALID_ARGUMENT,
                      base::Diagnostic{where_of(op, slot), "found nothing", accepted_by(slot).words,
                                       "this argument has no default"});
}

void push_arguments(const Operator& op, const RawValue* args, uint32_t n, Stack& stack) {
  if (n > op.declared_count) {
    throw OperatorError(
        BROCH_E_INVALID_ARGUMENT,
        base::Diagnostic{"operator " + op.name, "found " + std::to_string(n) + " arguments",
                         "at most " + std::to_string(op.declared_count),
                         "pass what the declared schema names"});
  }
  stack.reserve(op.slots.size());
  for (const Slot& slot : op.slots) {
    const bool given = slot.declared >= 0 && static_cast<uint32_t>(slot.declared) < n;
    stack.push_back(given ? converted(op, slot, args[slot.declared]) : missing(op, slot));
  }
}

// Weights and statistics of batch norm must have one element per channel. LibTorch checks this in
// the functions that call this operator, but not in the operator.
void require_channels(const Operator& op, const Stack& stack) {
  const auto refuse_slot = [&op](size_t i, const std::string& found, const std::string& expected) {
    throw OperatorError(BROCH_E_INVALID_ARGUMENT, base::Diagnostic{where_of(op, op.slots[i]),
                                                                   "found " + found, expected, ""});
  };
  const at::Tensor x = stack[0].toTensor();
  if (x.dim() < 2) refuse_slot(0, c10::str(x.sizes()), "(N, C, ...)");
  bool training = true;
  for (size_t i = 1; i < stack.size(); ++i) {
    if (op.slots[i].name == "training") training = stack[i].toBool();
    if (!stack[i].isTensor()) continue;
    const at::Tensor own = stack[i].toTensor();
    if (own.dim() != 1 || own.size(0) != x.size(1))
      refuse_slot(i, c10::str(own.sizes()),
                  "an element for each of " + std::to_string(x.size(1)) + " channels");
  }
  for (size_t i = 1; i < stack.size() && !training; ++i)
    if (op.slots[i].name.starts_with("running") && stack[i].isNone())
      refuse_slot(i, "nothing", "a tensor where training is false");
}

// Writes results as long as there is room; the elements of a list are written one by one. resolve
// refuses operators with results of other types.
struct ResultWriter {
  RawValue* results;
  uint32_t room;
  uint32_t count = 0;

  void write(c10::IValue value) {
    if (count == room) return;
    if (value.isList()) {
      for (const c10::IValue& element : value.toListRef()) write(element);
      return;
    }
    RawValue& result = results[count++];
    result = {BROCH_TAG_NONE, 0, {}};
    if (value.isTensor()) {
      result.tag = BROCH_TAG_TENSOR;
      result.u.tensor = reinterpret_cast<broch_tensor>(release(std::move(value).toTensor()));
    } else if (value.isDouble()) {
      result.tag = BROCH_TAG_DOUBLE;
      result.u.f64 = value.toDouble();
    } else if (value.isBool() || value.isInt()) {
      result.tag = value.isBool() ? BROCH_TAG_BOOL : BROCH_TAG_INT;
      result.u.i64 = value.isBool() ? value.toBool() : value.toInt();
    }
  }
};

// The derivative for GPUs makes the gradient of the bias like the weight. LibTorch 2.11:
// aten/src/ATen/native/cuda/Normalization.cu, batch_norm_backward_cuda_template.
void complete_weight(Stack& stack) {
  if (stack[1].isTensor() || !stack[2].isTensor() || !stack[0].toTensor().is_cuda()) return;
  stack[1] = at::ones_like(stack[2].toTensor().detach());
}

// Without a device, an operator that makes tensors of no other tensors would make them on the CPU.
void push_device(const Operator& op, Stack& stack) {
  const Draws* const draws = current_draws();
  if (!draws || draws->device().type == BROCH_DL_CPU) return;
  stack[static_cast<size_t>(op.device_slot)] = to_aten(draws->device());
}

void call_random(const Operator& op, Stack& stack) {
  Draws* draws = current_draws();
  if (!draws) {
    throw OperatorError(BROCH_E_FAILED_PRECONDITION,
                        base::Diagnostic{"operator " + op.name, "found no source of draws here",
                                         "a call inside a tower function or an operation",
                                         "random operators draw by tower, site and run"});
  }
  const SiteDraw drawing(*draws, op.name, op.generator_slot, stack);
  op.handle.callBoxed(stack);
}

[[noreturn]] void rethrow_from(const Operator& op) {
  try {
    rethrow("operator " + op.name);
  } catch (const OperatorError&) {
    throw;
  } catch (const base::Error& error) {
    const bool memory = error.exit() == base::Exit::memory;
    throw OperatorError(memory ? BROCH_E_RESOURCE_EXHAUSTED : BROCH_E_INVALID_ARGUMENT,
                        base::Diagnostic{"", error.what(), "", ""});
  }
}

}  // namespace

uint32_t TorchBackend::call(Operator* op, const RawValue* args, uint32_t n, RawValue* results,
                            uint32_t m) {
  try {
    StackLease lease;
    Stack& stack = lease.stack();
    push_arguments(*op, args, n, stack);
    if (op->by_channel) {
      require_channels(*op, stack);
      complete_weight(stack);
    }
    if (op->device_slot >= 0) push_device(*op, stack);
    if (op->random) {
      call_random(*op, stack);
    } else {
      op->handle.callBoxed(stack);
    }
    ResultWriter writer{results, m};
    for (c10::IValue& value : stack) writer.write(std::move(value));
    return writer.count;
  } catch (...) {
    rethrow_from(*op);
  }
}

}  // namespace broch::libtorch
