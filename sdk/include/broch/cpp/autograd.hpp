// autograd.hpp: gradients inside a tower function, and functions with a derivative of their own.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "ops.hpp"

namespace broch {
inline namespace v0 {

// Operators record no gradient as long as the object lives. Make it a local variable.
class NoGrad {
 public:
  NoGrad(const Host& host, const broch_host_autograd* table) : host_(host), table_(table) {
    host_.check(table_->no_grad_push(host_.c()));
  }
  ~NoGrad() { table_->no_grad_pop(host_.c()); }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  Host host_;
  const broch_host_autograd* table_;
};

// What forward keeps for backward. Valid during the call that receives it.
class Saved {
 public:
  Saved(const Host& host, const broch_host_autograd* table, Ops& ops, broch_saved handle)
      : host_(host), table_(table), ops_(ops), handle_(handle) {}

  // In forward, once.
  void save(const std::vector<Tensor>& tensors) const {
    const std::vector<broch_tensor> handles = handles_of(tensors);
    host_.check(table_->save(host_.c(), handle_, handles.data(), uint32_t(handles.size())));
  }
  // In backward: the tensor at this place.
  Tensor operator[](uint32_t index) const {
    broch_tensor tensor = 0;
    host_.check(table_->saved(host_.c(), handle_, index, &tensor));
    return Tensor(&ops_, tensor);
  }

 private:
  Host host_;
  const broch_host_autograd* table_;
  Ops& ops_;
  broch_saved handle_;
};

// A function with a derivative of its own; ext/autograd.h says what it may do. Derive from it, and
// call it with Autograd::apply. A derived class must also define its name, for messages, and the
// number of its outputs:
//   static constexpr const char* kName = "clipped";
//   static constexpr uint32_t kOutputs = 1;
class CustomFunction {
 public:
  virtual ~CustomFunction() = default;
  // Returns the outputs. Gradients are recorded only for what it tracks.
  virtual std::vector<Tensor> forward(const Saved& saved, const std::vector<Tensor>& inputs) = 0;
  // Returns a gradient for each input, undefined for none. grad_outputs: undefined for an output
  // that was not used.
  virtual std::vector<Tensor> backward(const Saved& saved,
                                       const std::vector<Tensor>& grad_outputs) = 0;
};

// Gradients in the tower functions of a model; see ext/autograd.h.
class Autograd {
 public:
  Autograd(const Host& host, Ops& ops)
      : host_(host), table_(host.require<broch_host_autograd>(BROCH_EXT_AUTOGRAD)), ops_(ops) {}

  // The same values, but as the start of a computation: grad can be asked for with respect to it.
  // For inputs and other tensors that are not tracked. Source: torch, x.detach().requires_grad_().
  Tensor track(const Tensor& tensor) const {
    broch_tensor tracked = 0;
    host_.check(table_->track(host_.c(), tensor.handle(), &tracked));
    return Tensor(&ops_, tracked);
  }

  struct GradOptions {
    std::vector<Tensor> grad_outputs;  // {}: ones; then the outputs have to be scalars
    bool create_graph = false;         // the result can be differentiated again
    bool allow_unused = false;         // undefined, not an error, for an unused input
  };
  // The sum over the outputs of their gradients for each input. Source: torch.autograd.grad.
  std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                           const GradOptions& how) const {
    if (!how.grad_outputs.empty() && how.grad_outputs.size() != outputs.size())
      throw Error(BROCH_E_INVALID_ARGUMENT, "found " + std::to_string(how.grad_outputs.size()) +
                                                " gradients for " + std::to_string(outputs.size()) +
                                                " outputs, expected one for each, or none");
    const std::vector<broch_tensor> of = handles_of(outputs), to = handles_of(inputs),
                                    weights = handles_of(how.grad_outputs);
    const uint32_t flags = (how.create_graph ? uint32_t(BROCH_GRAD_CREATE_GRAPH) : 0) |
                           (how.allow_unused ? uint32_t(BROCH_GRAD_ALLOW_UNUSED) : 0);
    std::vector<broch_tensor> grads(to.size());
    host_.check(table_->grad(host_.c(), of.data(), uint32_t(of.size()), to.data(),
                             uint32_t(to.size()), weights.empty() ? nullptr : weights.data(), flags,
                             grads.data()));
    return tensors_of(ops_, grads);
  }
  std::vector<Tensor> grad(const std::vector<Tensor>& outputs,
                           const std::vector<Tensor>& inputs) const {
    return grad(outputs, inputs, {});
  }

  // Calls function.forward and records its backward: apply(Clipped(0.5), {x}).
  template <class Function>
  std::vector<Tensor> apply(Function function, const std::vector<Tensor>& inputs) const {
    static const broch_custom_function table = {
        sizeof(broch_custom_function), Function::kOutputs,     Function::kName, &forward<Function>,
        &backward<Function>,           &free_applied<Function>};
    const std::vector<broch_tensor> in = handles_of(inputs);
    std::vector<broch_tensor> out(Function::kOutputs);
    auto* applied = new Applied<Function>{host_, table_, ops_, std::move(function)};
    host_.check(
        table_->apply(host_.c(), &table, applied, in.data(), uint32_t(in.size()), out.data()));
    return tensors_of(ops_, out);
  }

  [[nodiscard]] NoGrad no_grad() const { return NoGrad(host_, table_); }

 private:
  // What a function needs when it is called; the host frees it.
  template <class Function>
  struct Applied {
    Host host;
    const broch_host_autograd* table;
    Ops& ops;
    Function function;
  };

  // Calls method(function, saved, tensors) for a call from the host, and stores its n results.
  template <class Function, class Method>
  static broch_status call(void* user, broch_saved saved, const broch_tensor* in, uint32_t size,
                           broch_tensor* out, uint32_t n, Method&& method) {
    auto& applied = *static_cast<Applied<Function>*>(user);
    return at_border(applied.host.c(), [&]() -> broch_status {
      const std::vector<broch_tensor> handles(in, in + size);
      const std::vector<Tensor> results =
          method(applied.function, Saved(applied.host, applied.table, applied.ops, saved),
                 tensors_of(applied.ops, handles));
      if (results.size() != n)
        throw Error(BROCH_E_INVALID_ARGUMENT, std::string(Function::kName) + " returned " +
                                                  std::to_string(results.size()) +
                                                  " tensors, expected " + std::to_string(n));
      for (uint32_t i = 0; i < n; ++i) out[i] = results[i].handle();
      return BROCH_OK;
    });
  }
  template <class Function>
  static broch_status forward(void* user, broch_saved saved, const broch_tensor* inputs, uint32_t n,
                              broch_tensor* outputs) {
    return call<Function>(
        user, saved, inputs, n, outputs, Function::kOutputs,
        [](Function& f, const Saved& s, const auto& x) { return f.forward(s, x); });
  }
  template <class Function>
  static broch_status backward(void* user, broch_saved saved, const broch_tensor* grad_outputs,
                               broch_tensor* grad_inputs, uint32_t n) {
    return call<Function>(
        user, saved, grad_outputs, Function::kOutputs, grad_inputs, n,
        [](Function& f, const Saved& s, const auto& x) { return f.backward(s, x); });
  }
  template <class Function>
  static void free_applied(void* user) {
    delete static_cast<Applied<Function>*>(user);
  }

  Host host_;
  const broch_host_autograd* table_;
  Ops& ops_;
};

}  // namespace v0
}  // namespace broch
