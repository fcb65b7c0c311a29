// autograd.cpp: broch.autograd/1: gradients, and custom functions with their own derivative.
#include "broch/ext/autograd.h"

#include <array>
#include <exception>
#include <memory>

#include "abi/guard.hpp"
#include "base/log.hpp"
#include "serving.hpp"
#include "tower/tower.hpp"

namespace broch::tower {
namespace {

constexpr const char* kGrad = "broch.autograd/1 grad";
constexpr const char* kTrack = "broch.autograd/1 track";
constexpr const char* kApply = "broch.autograd/1 apply";
constexpr const char* kSave = "broch.autograd/1 save";
constexpr const char* kSaved = "broch.autograd/1 saved";
constexpr const char* kPush = "broch.autograd/1 no_grad_push";
constexpr const char* kPop = "broch.autograd/1 no_grad_pop";
constexpr uint32_t kMaxInputs = 16;
constexpr uint32_t kMaxOutputs = 16;

using Handles = std::array<broch_tensor, kMaxInputs>;

// What a broch_saved refers to: the list that forward fills, or the one that backward reads.
struct SavedList {
  std::vector<Tensor>* filling = nullptr;
  std::span<const Tensor> filled;
  bool done = false;
};

// Whether a handle in a list may be 0.
enum class Undefined : uint8_t { refused, allowed };

std::vector<Tensor> resolve_all(Backend& backend, const broch_tensor* handles, uint32_t n,
                                const Place& place, uint64_t* tags,
                                Undefined undefined = Undefined::refused) {
  std::vector<Tensor> tensors;
  tensors.reserve(n);
  for (uint32_t i = 0; i < n; ++i) {
    if (undefined == Undefined::allowed && !handles[i]) {
      tensors.emplace_back();
      continue;
    }
    Valued value = resolve(backend, nullptr, handles[i], place);
    *tags |= value.tags;
    tensors.push_back(std::move(value.tensor));
  }
  return tensors;
}

// A custom function of a plugin, with all that is needed to call it from the autograd graph.
class PluginFunction {
 public:
  PluginFunction(RunContext& context, Instance& instance, const broch_custom_function& function,
                 void* user)
      : context_(context), instance_(instance), function_(function), user_(user) {}
  ~PluginFunction() {
    if (!function_.free_user) return;
    try {
      abi::invoke(instance_, "free_user", Role::any, abi::kOnlyOk, [this] {
        function_.free_user(user_);
        return BROCH_OK;
      });
    } catch (const std::exception& error) {
      base::error(error.what());
    }
  }
  PluginFunction(const PluginFunction&) = delete;
  PluginFunction& operator=(const PluginFunction&) = delete;

  std::vector<Tensor> forward(std::span<const Tensor> inputs, std::vector<Tensor>& save) const {
    SavedList list{&save, {}, false};
    return call("forward", inputs, list, function_.output_count, Undefined::refused,
                [this](broch_saved saved, const Handles& in, uint32_t n, Handles& out) {
                  return function_.forward(user_, saved, in.data(), n, out.data());
                });
  }

  std::vector<Tensor> backward(std::span<const Tensor> grads, std::span<const Tensor> saved,
                               uint32_t inputs) const {
    SavedList list{nullptr, saved, true};
    return call("backward", grads, list, inputs, Undefined::allowed,
                [this, inputs](broch_saved handle, const Handles& in, uint32_t, Handles& out) {
                  return function_.backward(user_, handle, in.data(), out.data(), inputs);
                });
  }

 private:
  template <class Body>
  std::vector<Tensor> call(const char* hook, std::span<const Tensor> arguments, SavedList& list,
                           uint32_t results, Undefined undefined, Body&& body) const {
    const InstanceLock lock(context_.locks->of(instance_));
    const Domain domain(nullptr);
    Handles in{}, out{};
    for (size_t i = 0; i < arguments.size(); ++i) in[i] = tower::lend(arguments[i], 0);
    const broch_saved saved =
        abi::Arena::of_this_thread().add(abi::Kind::saved, {&list}, domain.id());
    std::vector<Tensor> tensors;
    std::exception_ptr failure;  // an exception of the host, not of the plugin
    abi::invoke(instance_, hook, Role::step, abi::kOnlyOk, [&] {
      const broch_status status = body(saved, in, static_cast<uint32_t>(arguments.size()), out);
      if (status != BROCH_OK) return status;
      try {
        uint64_t tags = 0;
        tensors = resolve_all(*context_.backend, out.data(), results, {function_.name, "result"},
                              &tags, undefined);
      } catch (...) {
        failure = std::current_exception();
      }
      return status;
    });
    if (failure) std::rethrow_exception(failure);
    return tensors;
  }

  RunContext& context_;
  Instance& instance_;
  broch_custom_function function_;
  void* user_;
};

CallTape* tape_here() {
  const Domain* const domain = Domain::current();
  return domain ? domain->tape() : nullptr;
}

void refuse_outside(const char* function) {
  const Domain* const domain = Domain::current();
  if (domain && !domain->refuses_operators()) return;
  refuse(BROCH_E_FAILED_PRECONDITION, {.where = function,
                                       .found = "called outside a tower function",
                                       .expected = "a call inside: elsewhere gradients are off",
                                       .hint = "compute it in the tower function and publish it"});
}

// Without grad_outputs, outputs are numbers that are differentiated.
void require_numbers(Backend& backend, const std::vector<Tensor>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape shape = backend.info(outputs[i]).shape;
    if (shape.elements() != 1)
      refuse(BROCH_E_INVALID_ARGUMENT,
             {.where = std::string(kGrad) + ", output " + std::to_string(i),
              .found = "shape " + to_string(shape),
              .expected = "one element, since grad_outputs is NULL",
              .hint = "reduce it to a number, or pass grad_outputs"});
  }
}

broch_status grad(const broch_host* host, const broch_tensor* outputs, uint32_t n,
                  const broch_tensor* inputs, uint32_t m, const broch_tensor* grad_outputs,
                  uint32_t flags, broch_tensor* grads) {
  return serve(host, kGrad, Role::step, [&](Instance& instance) {
    refuse_outside(kGrad);
    if (n) given(outputs, kGrad, "outputs");
    if (m) given(inputs, kGrad, "inputs");
    if (m) given(grads, kGrad, "grads");
    abi::require_flags(flags, BROCH_GRAD_CREATE_GRAPH | BROCH_GRAD_ALLOW_UNUSED, kGrad, "flags");
    Backend& backend = need<Backend>(instance, kGrad);
    uint64_t tags = 0;
    const std::vector<Tensor> of = resolve_all(backend, outputs, n, {kGrad, "outputs"}, &tags);
    const std::vector<Tensor> to = resolve_all(backend, inputs, m, {kGrad, "inputs"}, &tags);
    std::vector<Tensor> weights;
    if (grad_outputs)
      weights =
          resolve_all(backend, grad_outputs, n, {kGrad, "grad_outputs"}, &tags, Undefined::allowed);
    else
      require_numbers(backend, of);
    if (TowerCall* call = TowerCall::current()) call->will_use_grad();
    if (CallTape* tape = tape_here()) tape->foreign(kGrad);
    std::vector<Tensor> found = backend.grad(of, to, weights, flags & BROCH_GRAD_CREATE_GRAPH,
                                             flags & BROCH_GRAD_ALLOW_UNUSED);
    for (uint32_t i = 0; i < m; ++i) grads[i] = lend(std::move(found[i]), tags);
    return BROCH_OK;
  });
}

broch_status track(const broch_host* host, broch_tensor tensor, broch_tensor* tracked) {
  return serve(host, kTrack, Role::step, [&](Instance& instance) {
    refuse_outside(kTrack);
    given(tracked, kTrack, "tracked");
    Backend& backend = need<Backend>(instance, kTrack);
    Valued value = resolve(backend, nullptr, tensor, {kTrack, "tensor"});
    const TensorInfo info = backend.info(value.tensor);
    if (!has_gradient(info.dtype))
      refuse(BROCH_E_INVALID_ARGUMENT, {.where = kTrack,
                                        .found = type_text(info.dtype, info.shape),
                                        .expected = "a floating-point or complex dtype",
                                        .hint = "convert it first"});
    Domain::current()->record_gradients(backend);
    Tensor leaf = backend.leaf(value.tensor);
    if (CallTape* tape = tape_here()) tape->same(value.tensor, leaf);
    value.tensor = std::move(leaf);
    *tracked = lend(std::move(value));
    return BROCH_OK;
  });
}

void check_function(const broch_custom_function& function, uint32_t n) {
  const auto wrong = [&](const std::string& found, const std::string& expected) {
    refuse(BROCH_E_INVALID_ARGUMENT,
           {.where = std::string(kApply) + " of " + (function.name ? function.name : "a function"),
            .found = found,
            .expected = expected,
            .hint = "see broch_custom_function"});
  };
  if (!function.forward || !function.backward || !function.name)
    wrong("an entry that is NULL", "name, forward and backward");
  if (!function.output_count || function.output_count > kMaxOutputs)
    wrong(std::to_string(function.output_count) + " outputs", "1 to 16");
  if (!n || n > kMaxInputs) wrong(std::to_string(n) + " inputs", "1 to 16");
}

// Frees `user` if the call is refused before a PluginFunction owns it.
class TakenUser {
 public:
  TakenUser(const broch_custom_function* function, void* user)
      : free_(function && BROCH_HAS(broch_custom_function, function, free_user)
                  ? function->free_user
                  : nullptr),
        user_(user) {}
  ~TakenUser() {
    if (!free_) return;
    try {
      free_(user_);
    } catch (...) {
      base::error(std::string(kApply) + ": free_user let an exception escape");
    }
  }
  TakenUser(const TakenUser&) = delete;
  TakenUser& operator=(const TakenUser&) = delete;
  void passed_on() { free_ = nullptr; }

 private:
  void (*free_)(void*);
  void* user_;
};

// The plugin's function as the backend calls it. inputs: their number. computed: gets what forward
// has computed, before autograd makes other tensors of it; nullptr: nobody wants it.
std::shared_ptr<Backend::CustomFunction> for_backend(
    const std::shared_ptr<const PluginFunction>& plugin, const char* name, uint32_t inputs,
    std::vector<Tensor>* computed) {
  auto custom = std::make_shared<Backend::CustomFunction>();
  custom->name = name;
  custom->forward = [plugin, computed](std::span<const Tensor> in, std::vector<Tensor>& save) {
    std::vector<Tensor> outputs = plugin->forward(in, save);
    if (computed) *computed = outputs;
    return outputs;
  };
  custom->backward = [plugin, inputs](std::span<const Tensor> grads,
                                      std::span<const Tensor> saved) {
    return plugin->backward(grads, saved, inputs);
  };
  return custom;
}

broch_status apply(const broch_host* host, const broch_custom_function* function, void* user,
                   const broch_tensor* inputs, uint32_t n, broch_tensor* outputs) {
  TakenUser taken(function, user);
  return serve(host, kApply, Role::step, [&](Instance& instance) {
    refuse_outside(kApply);
    const broch_custom_function ours = read_struct(function, kApply, "function");
    check_function(ours, n);
    given(inputs, kApply, "inputs");
    given(outputs, kApply, "outputs");
    RunContext& context = need<RunContext>(instance, kApply);
    uint64_t tags = 0;
    const std::vector<Tensor> arguments =
        resolve_all(*context.backend, inputs, n, {ours.name, "input"}, &tags);
    const auto plugin = std::make_shared<const PluginFunction>(context, instance, ours, user);
    taken.passed_on();
    CallTape* const tape = tape_here();
    std::vector<Tensor> computed;
    const auto custom = for_backend(plugin, ours.name, n, tape ? &computed : nullptr);
    std::vector<Tensor> results = context.backend->apply(custom, arguments);
    for (size_t i = 0; i < results.size(); ++i) {
      if (tape) tape->same(computed[i], results[i]);
      outputs[i] = lend(std::move(results[i]), tags);
    }
    return BROCH_OK;
  });
}

SavedList& list_at(broch_saved handle, const char* function) {
  const char* why = "";
  void* list =
      abi::Arena::of_this_thread().find(handle, abi::Kind::saved, Domain::current_id(), &why);
  if (list) return *static_cast<SavedList*>(list);
  refuse(BROCH_E_INVALID_ARGUMENT,
         {.where = function,
          .found = abi::explain(handle, abi::Kind::saved, why),
          .expected = "the handle that the running forward or backward was called with",
          .hint = "pass it on; it is valid during that call and nowhere else"});
}

broch_status save(const broch_host* host, broch_saved saved, const broch_tensor* tensors,
                  uint32_t n) {
  return serve(host, kSave, Role::step, [&](Instance& instance) {
    SavedList& list = list_at(saved, kSave);
    if (!list.filling || list.done)
      refuse(BROCH_E_FAILED_PRECONDITION,
             {.where = kSave,
              .found = list.filling ? "called twice" : "called in backward",
              .expected = "one call in forward",
              .hint = "save all tensors together"});
    if (n) given(tensors, kSave, "tensors");
    uint64_t tags = 0;
    *list.filling =
        resolve_all(need<Backend>(instance, kSave), tensors, n, {kSave, "tensor"}, &tags);
    list.done = true;
    return BROCH_OK;
  });
}

broch_status saved(const broch_host* host, broch_saved handle, uint32_t index,
                   broch_tensor* tensor) {
  return serve(host, kSaved, Role::step, [&](Instance&) {
    const SavedList& list = list_at(handle, kSaved);
    given(tensor, kSaved, "tensor");
    if (list.filling || index >= list.filled.size())
      refuse(BROCH_E_OUT_OF_RANGE,
             {.where = kSaved,
              .found = list.filling ? "called in forward" : "index " + std::to_string(index),
              .expected = list.filling ? "a call in backward"
                                       : "below " + std::to_string(list.filled.size()),
              .hint = "save it in forward"});
    *tensor = lend(list.filled[index], 0);
    return BROCH_OK;
  });
}

broch_status no_grad_push(const broch_host* host) {
  return serve(host, kPush, Role::step, [&](Instance& instance) {
    refuse_outside(kPush);
    Domain::current()->push_no_grad(need<Backend>(instance, kPush));
    return BROCH_OK;
  });
}

broch_status no_grad_pop(const broch_host* host) {
  return serve(host, kPop, Role::step, [&](Instance&) {
    refuse_outside(kPop);
    if (Domain::current()->pop_no_grad()) return BROCH_OK;
    refuse(BROCH_E_FAILED_PRECONDITION, {.where = kPop,
                                         .found = "no open no_grad_push",
                                         .expected = "one pop for each push",
                                         .hint = "remove this call, or push before it"});
  });
}

constexpr broch_host_autograd kTable{
    sizeof(broch_host_autograd), 0, grad, track, apply, save, saved, no_grad_push, no_grad_pop};

}  // namespace

const void* autograd_table() { return &kTable; }

}  // namespace broch::tower
