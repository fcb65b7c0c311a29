// kernel.cpp: broch.kernel/1: host code of a plugin as one operator.
#include "broch/ext/kernel.h"

#include <algorithm>
#include <cstring>

#include "abi/guard.hpp"
#include "abi/roles/role.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "kernel_watch.hpp"
#include "runtime/dlpack.hpp"
#include "serving.hpp"
#include "tower/kernel_tape.hpp"
#include "tower/shapes_only.hpp"
#include "tower/tower.hpp"

namespace broch::tower {
namespace {

constexpr const char* kCall = "broch.kernel/1 call";
constexpr int kMaxOrder = 3;  // highest order of derivatives

using Infos = std::vector<TensorInfo>;
using Tensors = std::vector<Tensor>;

std::string place_of(const broch_kernel& kernel) {
  return std::string(kCall) + " of kernel '" + (kernel.name ? kernel.name : "") + "'";
}

[[noreturn]] void wrong(const broch_kernel& kernel, const std::string& found,
                        const std::string& expected) {
  refuse(BROCH_E_INVALID_ARGUMENT, {.where = place_of(kernel),
                                    .found = found,
                                    .expected = expected,
                                    .hint = "see broch_kernel in ext/kernel.h"});
}

// order: 0 for a kernel, 1 for its derivative, and so on.
broch_kernel read_kernel(const broch_kernel* theirs, int order) {
  const broch_kernel kernel = read_struct(theirs, kCall, "kernel");
  constexpr uint32_t kRandom = BROCH_KERNEL_RANDOM, kStateful = BROCH_KERNEL_STATEFUL;
  if (!kernel.name || !kernel.run) wrong(kernel, "an entry that is NULL", "name and run");
  if (!*kernel.name) wrong(kernel, "an empty name", "one for messages and draws");
  if (kernel.flags != BROCH_KERNEL_PURE && kernel.flags != kStateful && kernel.flags != kRandom &&
      kernel.flags != (kStateful | kRandom))
    wrong(kernel, "flags " + std::to_string(kernel.flags),
          "PURE, STATEFUL, RANDOM, or STATEFUL and RANDOM");
  if (order > kMaxOrder)
    wrong(kernel, "a derivative of order " + std::to_string(order),
          "at most " + std::to_string(kMaxOrder));
  if (order && kernel.flags & kRandom)
    wrong(kernel, "a derivative that is RANDOM", "one that draws nothing");
  return kernel;
}

broch_kernel_type type_of(const TensorInfo& info) {
  broch_kernel_type type{info.dtype, info.shape.rank, {}};
  std::ranges::copy(info.shape.span(), type.shape);
  return type;
}

// Which tensors of a list are defined. `shrunk` removes the undefined ones, `expanded` restores
// them.
using Mask = std::vector<bool>;

Tensors shrunk(Tensors all, const Mask& mask) {
  size_t i = 0;
  std::erase_if(all, [&](const Tensor&) { return !mask[i++]; });
  return all;
}

Tensors expanded(std::span<const Tensor> there, const Mask& mask) {
  Tensors all;
  size_t next = 0;
  for (const bool is_there : mask) all.push_back(is_there ? there[next++] : Tensor());
  return all;
}

void fill_zeros(std::span<const broch_dl_tensor> tensors) {
  for (const broch_dl_tensor& tensor : tensors)
    if (tensor.data) std::memset(tensor.data, 0, dl_bytes(tensor));
}

// A kernel with the instance to call and with its derivatives.
class PluginKernel final : public HostKernel, public std::enable_shared_from_this<PluginKernel> {
 public:
  PluginKernel(RunContext& context, Instance& instance, const broch_kernel& kernel, void* user,
               int order = 0)
      : backend_(*context.backend),
        lock_(context.locks->of(instance)),
        instance_(instance),
        kernel_(kernel),
        user_(user),
        is_derivative_(order > 0),
        hook_(std::string("kernel '") + kernel.name + "'") {
    name = kernel.name;
    stateful = kernel.flags & BROCH_KERNEL_STATEFUL;
    random = kernel.flags & BROCH_KERNEL_RANDOM;
    if (kernel.backward)
      backward_ = std::make_shared<PluginKernel>(
          context, instance, read_kernel(kernel.backward, order + 1), user, order + 1);
  }

  void run(std::span<const broch_dl_tensor> inputs, std::span<const broch_dl_tensor> outputs,
           DrawKey draw) const override {
    if (ShapesOnly::active()) return fill_zeros(outputs);
    KernelTape* const tape = KernelTape::current();
    if (!tape) return invoke(inputs, outputs, draw);
    if (stateful && !tape->keeps()) return tape->give(name, outputs);
    // The checks may be slow here: a step that is recorded or compared is slow anyway.
    const KernelWatch watch(inputs, outputs);
    invoke(inputs, watch.outputs(), draw);
    if (const std::string wrong = watch.finish(); !wrong.empty())
      throw abi::violation(instance_, hook_ + " " + wrong,
                           "every element of its outputs written and nothing else");
    if (stateful) return tape->keep(name, outputs);
    const std::string draws = std::to_string(draw.key) + " " + std::to_string(draw.counter) + " ";
    if (!tape->agrees(name, draws + watch.given(), watch.gave()))
      base::warning(abi::describe(instance_) + ": " + hook_ +
                    " gave other outputs for equal inputs, expected the same ones: it is flagged " +
                    (random ? "RANDOM: draw from draw_key and draw_counter only"
                            : "PURE: make it STATEFUL or let nothing but inputs decide"));
  }

  // Dtypes and shapes of the outputs for such inputs.
  Infos shapes(const Infos& inputs, uint32_t m) const {
    std::vector<broch_kernel_type> in, out(m);
    for (const TensorInfo& input : inputs) in.push_back(type_of(input));
    bool missing = !kernel_.shapes;
    const std::string hook = "the shape function of " + hook_;
    if (!missing)
      abi::invoke(instance_, hook.c_str(), Role::step, abi::kOnlyOk, [&] {
        const broch_status status =
            kernel_.shapes(user_, in.data(), static_cast<uint32_t>(in.size()), out.data(), m);
        missing = abi::says_unimplemented(status);
        return missing ? BROCH_OK : status;
      });
    Infos infos;
    if (missing) {
      if (m <= inputs.size()) return {inputs.begin(), inputs.begin() + m};
      wrong(kernel_, base::counted(m, "output") + ", " + base::counted(std::ssize(inputs), "input"),
            "a shape function, since there are more outputs than inputs");
    }
    for (uint32_t i = 0; i < m; ++i) infos.push_back(checked(out[i], i));
    return infos;
  }

  // Runs the kernel as a differentiable operator. Inputs may be undefined, and outputs without a
  // dtype.
  Tensors apply(const Tensors& inputs, const Infos& outputs) const {
    if (!backward_ && !is_derivative_) return backend_.call(shared_from_this(), inputs, outputs);
    Mask in, out;
    for (const Tensor& input : inputs) in.push_back(bool(input));
    for (const TensorInfo& output : outputs) out.push_back(output.dtype != 0);
    const auto function = std::make_shared<Backend::CustomFunction>();
    function->name = name;
    function->forward = [self = shared_from_this(), in, out, outputs](std::span<const Tensor> given,
                                                                      Tensors& save) {
      Tensors results = shrunk(self->backend_.call(self, expanded(given, in), outputs), out);
      save.assign(given.begin(), given.end());
      save.insert(save.end(), results.begin(), results.end());
      return results;
    };
    function->backward = [self = shared_from_this(), in, out](std::span<const Tensor> grads,
                                                              std::span<const Tensor> saved) {
      const size_t n = saved.size() - grads.size();
      return shrunk(self->differentiate(expanded(saved.first(n), in),
                                        expanded(saved.subspan(n), out), expanded(grads, out)),
                    in);
    };
    return expanded(backend_.apply(function, shrunk(inputs, in)), out);
  }

 private:
  void invoke(std::span<const broch_dl_tensor> inputs, std::span<const broch_dl_tensor> outputs,
              DrawKey draw) const {
    const InstanceLock lock(lock_);
    const Domain domain(nullptr, Domain::Operators::refused);
    const broch_kernel_call call{sizeof call, 0, nullptr, draw.key, draw.counter};
    abi::invoke(instance_, hook_.c_str(), Role::step, abi::kOnlyOk, [&] {
      return kernel_.run(user_, &call, inputs.data(), static_cast<uint32_t>(inputs.size()),
                         outputs.data(), static_cast<uint32_t>(outputs.size()));
    });
  }

  // Returns the gradients of the inputs.
  Tensors differentiate(Tensors inputs, const Tensors& outputs, const Tensors& grads) const {
    if (!backward_)
      throw base::Error(base::Exit::training,
                        {.where = instance_.label() + ", kernel '" + name + "'",
                         .found = "no derivative, and a gradient of a gradient is asked for",
                         .expected = "a backward of the kernel that computes the gradient",
                         .hint = "set its backward, or do not create a graph"});
    Infos infos;
    for (const Tensor& input : inputs) {
      const TensorInfo info = input ? backend_.info(input) : TensorInfo{};
      infos.push_back(has_gradient(info.dtype) ? info : TensorInfo{});
    }
    inputs.insert(inputs.end(), outputs.begin(), outputs.end());
    inputs.insert(inputs.end(), grads.begin(), grads.end());
    return backward_->apply(inputs, infos);
  }

  TensorInfo checked(const broch_kernel_type& type, uint32_t index) const {
    const auto violated = [&](const std::string& found, const std::string& expected) {
      return abi::violation(
          instance_,
          "the shape function of " + hook_ + " gave output " + std::to_string(index) + " " + found,
          expected);
    };
    if (!dtype_size(type.dtype))
      throw violated("dtype " + std::to_string(type.dtype), "a dtype of value.h");
    if (type.rank > BROCH_RANK_MAX) throw violated("rank " + std::to_string(type.rank), "0 to 8");
    TensorInfo info{type.dtype, {type.rank}, {}, false};
    std::copy_n(type.shape, type.rank, info.shape.dims.begin());
    constexpr int64_t kMaxElements = INT64_MAX / 16;
    int64_t elements = 1;
    for (const int64_t dim : info.shape.span())
      if (dim < 0 || __builtin_mul_overflow(elements, dim, &elements) || elements > kMaxElements)
        throw violated("shape " + to_string(info.shape), "a shape that memory can hold");
    return info;
  }

  Backend& backend_;
  std::recursive_mutex& lock_;
  Instance& instance_;
  broch_kernel kernel_;
  void* user_;
  bool is_derivative_;
  std::string hook_;
  std::shared_ptr<const PluginKernel> backward_;
};

void check_device(const broch_kernel& kernel, const TensorInfo& info, uint32_t index) {
  if (info.device.type == BROCH_DL_CPU) return;
  refuse(BROCH_E_UNIMPLEMENTED,
         {.where = place_of(kernel) + ", input " + std::to_string(index),
          .found = "memory of " + to_string(info.device),
          .expected = "memory of the CPU",
          .hint = "copy it with aten::to before the call, or run the tower on the CPU"});
}

broch_status call(const broch_host* host, broch_tower tower, const broch_kernel* kernel, void* user,
                  const broch_tensor* inputs, uint32_t n, broch_tensor* outputs, uint32_t m) {
  return serve(host, kCall, Role::step, [&](Instance& instance) {
    TowerCall& caller = TowerCall::at(tower);
    RunContext& context = caller.tower().context();
    const broch_kernel ours = read_kernel(kernel, 0);
    if (caller.tape()) caller.tape()->foreign("kernel '" + std::string(ours.name) + "'");
    if (n > BROCH_KERNEL_TENSORS_MAX || m > BROCH_KERNEL_TENSORS_MAX)
      wrong(ours, base::counted(n, "input") + ", " + base::counted(m, "output"),
            "at most 16 of each");
    if (n) given(inputs, kCall, "inputs");
    if (m) given(outputs, kCall, "outputs");
    const std::string where = place_of(ours);
    uint64_t tags = 0;
    Tensors arguments;
    Infos infos;
    for (uint32_t i = 0; i < n; ++i) {
      Valued value = resolve(*context.backend, nullptr, inputs[i], {where.c_str(), nullptr, i});
      if (caller.mixes()) value.tensor = context.backend->widened(value.tensor);
      infos.push_back(context.backend->info(value.tensor));
      check_device(ours, infos.back(), i);
      tags |= value.tags;
      arguments.push_back(std::move(value.tensor));
    }
    const auto ready = std::make_shared<PluginKernel>(context, instance, ours, user);
    Tensors results = ready->apply(arguments, ready->shapes(infos, m));
    for (uint32_t i = 0; i < m; ++i) outputs[i] = lend(std::move(results[i]), tags);
    return BROCH_OK;
  });
}

constexpr broch_host_kernel kTable{sizeof(broch_host_kernel), 0, call};

}  // namespace

const void* kernel_table() { return &kTable; }

}  // namespace broch::tower
