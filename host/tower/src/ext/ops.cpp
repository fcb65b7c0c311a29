// ops.cpp: broch.ops/1: operators; every computation of a plugin goes through here.
#include "broch/ext/ops.h"

#include <array>
#include <memory>

#include "base/text.hpp"
#include "runtime/operator_table.hpp"
#include "serving.hpp"

namespace broch::tower {
namespace {

constexpr const char* kResolve = "broch.ops/1 resolve";
constexpr const char* kCall = "broch.ops/1 call";
constexpr const char* kSchema = "broch.ops/1 schema";
constexpr size_t kMaxDescription = 300;  // characters about tensors in an error
constexpr uint32_t kInline = 16;         // this many arguments or results need no allocation

// Memory for n values, on the stack while they are few.
template <class T, size_t kCount>
class SmallBuffer {
 public:
  T* get(size_t n) {
    if (n <= kCount - used_) {
      T* place = few_.data() + used_;
      used_ += n;
      return place;
    }
    return many_.emplace_back(std::make_unique<T[]>(n)).get();
  }

 private:
  std::array<T, kCount> few_;
  size_t used_ = 0;
  std::vector<std::unique_ptr<T[]>> many_;
};

// The arguments of a call with LibTorch tensors in place of handles.
class Arguments {
 public:
  Arguments(Backend& backend, Instance& instance, const OperatorTable::Entry& entry,
            const broch_value* args, uint32_t n)
      : backend_(backend), instance_(instance), entry_(entry), raw_(values_.get(n)), count_(n) {
    for (uint32_t i = 0; i < n; ++i) {
      raw_[i] = args[i];
      if (args[i].tag == BROCH_TAG_TENSOR) {
        raw_[i].u.tensor = implementation(args[i].u.tensor, i);
      } else if (args[i].tag == BROCH_TAG_TENSORS) {
        take_list(args[i], i);
      } else if (args[i].tag > BROCH_TAG_BOOLS) {
        refuse_tag(args[i].tag, i);
      } else if (is_list(args[i].tag) && args[i].len) {
        given(args[i].u.i64s, entry_.name, "a list");
      }
    }
  }

  const RawValue* raw() const { return raw_; }
  uint32_t count() const { return count_; }
  uint64_t tags() const { return tags_; }

  // Dtypes and shapes of the tensors, for an error: "float32 (2, 3), float32 (4)".
  std::string words() const {
    std::string text;
    for (uint32_t i = 0; i < count_; ++i) {
      if (raw_[i].tag == BROCH_TAG_TENSOR) add_words(text, raw_[i].u.tensor);
      if (raw_[i].tag == BROCH_TAG_TENSORS)
        for (uint32_t k = 0; k < raw_[i].len; ++k) add_words(text, raw_[i].u.tensors[k]);
    }
    return text;
  }

 private:
  static bool is_list(uint32_t tag) {
    return tag == BROCH_TAG_STR || tag == BROCH_TAG_INTS || tag == BROCH_TAG_DOUBLES ||
           tag == BROCH_TAG_BOOLS;
  }

  void add_words(std::string& text, uint64_t impl) const {
    if (text.size() > kMaxDescription) return;
    if (!text.empty()) text += ", ";
    text += impl ? words_of(Tensor::share(reinterpret_cast<void*>(impl), &backend_.counting()))
                 : "none";
  }
  std::string words_of(const Tensor& tensor) const {
    try {
      const TensorInfo info = backend_.info(tensor);
      return type_text(info.dtype, info.shape);
    } catch (const base::Error& error) {  // more dimensions than Broch supports
      return error.what();
    }
  }

  uint64_t implementation(broch_tensor handle, uint32_t index) {
    if (!handle) return 0;
    const Place place{entry_.name, nullptr, index};
    return reinterpret_cast<uint64_t>(
        resolve_raw(backend_, &instance_, handle, place, &tags_, &owned_));
  }

  void take_list(const broch_value& list, uint32_t index) {
    if (list.len) given(list.u.tensors, entry_.name, "a list of tensors");
    uint64_t* tensors = lists_.get(list.len);
    for (uint32_t k = 0; k < list.len; ++k) tensors[k] = implementation(list.u.tensors[k], index);
    raw_[index].u.tensors = tensors;
  }

  [[noreturn]] void refuse_tag(uint32_t tag, uint32_t index) const {
    refuse(BROCH_E_INVALID_ARGUMENT,
           {.where = std::string(entry_.name) + ", argument " + std::to_string(index),
            .found = "tag " + std::to_string(tag),
            .expected = "one of BROCH_TAG_…",
            .hint = "fill every value from args[0] to args[n-1]"});
  }

  Backend& backend_;
  Instance& instance_;
  const OperatorTable::Entry& entry_;
  SmallBuffer<RawValue, kInline> values_;
  SmallBuffer<uint64_t, 4 * kInline> lists_;
  std::vector<Tensor> owned_;
  RawValue* raw_;
  uint32_t count_;
  uint64_t tags_ = 0;
};

void check_write(Backend& backend, VariableStore& store, const char* name, uint64_t impl) {
  if (!impl) return;
  const Tensor tensor = Tensor::share(reinterpret_cast<void*>(impl), &backend.counting());
  const std::byte* data = memory_of(backend, tensor).begin;
  if (!data) return;
  if (const TowerCall* call = TowerCall::current()) call->refuse_write_to_input(name, data);
  for (const auto& variable : store.all())
    if (shares_memory(backend, variable->value, data))
      refuse(
          BROCH_E_INVALID_ARGUMENT,
          {.where = std::string("operator ") + name,
           .found = "a write to variable '" + variable->name + "'",
           .expected = "variables that are written by broch.tower/1 update alone",
           .hint = "use the operator that returns a new tensor, and update the variable with it"});
}

// An operator that writes to its arguments may change activations, but no variable and no input.
void check_writes(Backend& backend, VariableStore& store, const OperatorTable::Entry& entry,
                  const Arguments& arguments) {
  uint64_t written = backend.writes(entry.op, arguments.raw(), arguments.count());
  for (uint32_t i = 0; written && i < arguments.count(); ++i, written >>= 1) {
    const RawValue& value = arguments.raw()[i];
    if (!(written & 1)) continue;
    if (value.tag == BROCH_TAG_TENSOR) check_write(backend, store, entry.name, value.u.tensor);
    if (value.tag != BROCH_TAG_TENSORS) continue;
    for (uint32_t k = 0; k < value.len; ++k)
      check_write(backend, store, entry.name, value.u.tensors[k]);
  }
}

broch_status resolve_operator(const broch_host* host, const char* schema, broch_op* op) {
  return serve(host, kResolve, kNoScope, [&](Instance& instance) {
    given(op, kResolve, "op");
    RunContext& context = need<RunContext>(instance, kResolve);
    try {
      *op = context.operators->add(*context.backend,
                                   context.backend->resolve(given(schema, kResolve, "schema")));
    } catch (const OperatorError& error) {
      throw abi::CallError(error.status(), error.what());
    }
    return BROCH_OK;
  });
}

// LibTorch's message rarely says where and with what the operator was called.
[[noreturn]] void explain(const OperatorError& error, const Arguments& arguments) {
  std::string text = error.what();
  const std::string given = arguments.words();
  if (!given.empty()) text += "\n  given: " + given;
  const TowerCall* const call = TowerCall::current();
  if (call && !call->scope().empty()) text += "\n  in the scope '" + call->scope() + "'";
  throw abi::CallError(error.status(), text);
}

uint32_t call_or_explain(Backend& backend, const OperatorTable::Entry& entry,
                         const Arguments& arguments, broch_value* rets, uint32_t m) {
  try {
    return backend.call(entry.op, arguments.raw(), arguments.count(), rets, m);
  } catch (const OperatorError& error) {
    explain(error, arguments);
  }
}

void call_operator(RunContext& context, Instance& instance, const OperatorTable::Entry& entry,
                   const broch_value* args, uint32_t n, broch_value* rets, uint32_t m) {
  Backend& backend = *context.backend;
  const Arguments arguments(backend, instance, entry, args, n);
  check_writes(backend, *context.variables, entry, arguments);
  std::unique_ptr<StepGuard> guard;  // outside of towers gradients are off
  const Domain* const domain = Domain::current();
  if (!domain) {
    guard = backend.enter(/*gradients=*/false, nullptr);
  } else if (domain->refuses_operators()) {
    refuse(BROCH_E_FAILED_PRECONDITION,
           {.where = std::string("operator ") + entry.name,
            .found = "a call inside host code of broch.kernel/1",
            .expected = "host code that computes by itself",
            .hint = "call the operator in the tower function, before or after the kernel"});
  }
  if (entry.reads_value) note_host_read(entry.name);
  const uint32_t count = call_or_explain(backend, entry, arguments, rets, m);
  if (CallTape* tape = domain ? domain->tape() : nullptr)
    tape->called(entry.op, {arguments.raw(), arguments.count()}, {rets, count});
  for (uint32_t i = 0; i < count; ++i)
    if (rets[i].tag == BROCH_TAG_TENSOR)
      rets[i].u.tensor = lend(
          Tensor(reinterpret_cast<void*>(rets[i].u.tensor), &backend.counting()), arguments.tags());
  for (uint32_t i = count; i < m; ++i) rets[i] = {};
}

broch_status call(const broch_host* host, broch_op op, const broch_value* args, uint32_t n,
                  broch_value* rets, uint32_t m) {
  return serve(host, kCall, Role::step | Role::main, [&](Instance& instance) {
    RunContext& context = need<RunContext>(instance, kCall);
    const OperatorTable::Entry* entry = context.operators->find(op);
    if (!entry)
      refuse(BROCH_E_INVALID_ARGUMENT,
             {.where = kCall,
              .found = abi::explain(op, abi::Kind::op, "it was not resolved in this run"),
              .expected = "a handle that resolve answered",
              .hint = "resolve the operator in create or setup_graph"});
    if (n) given(args, kCall, "args");
    if (m) given(rets, kCall, "rets");
    call_operator(context, instance, *entry, args, n, rets, m);
    return BROCH_OK;
  });
}

broch_status write_schema(const broch_host* host, const char* name, const broch_writer* text) {
  return serve(host, kSchema, kNoScope, [&](Instance& instance) {
    const std::string asked = given(name, kSchema, "name");
    given(text, kSchema, "text");
    const std::string schema = need<RunContext>(instance, kSchema).backend->schema(asked);
    if (schema.empty())
      refuse(BROCH_E_NOT_FOUND, {.where = kSchema,
                                 .found = "operator " + base::quoted(asked),
                                 .expected = "the name of an operator of this host",
                                 .hint = "write name and overload: aten::add.Tensor"});
    return text->write(text->context, schema.data(), schema.size());
  });
}

constexpr broch_host_ops kTable{sizeof(broch_host_ops), 0, resolve_operator, call, write_schema};

}  // namespace

const void* ops_table() { return &kTable; }

}  // namespace broch::tower
