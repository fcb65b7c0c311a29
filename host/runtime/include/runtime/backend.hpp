// backend.hpp: the interface behind which LibTorch lives, and the null runtime.
//
// Everything that names variables, towers, collections or plans is common code above this line;
// a backend only makes tensors, runs operators and differentiates. Errors are base::Error
// (Exit::training, or Exit::memory) with the operator's own message. Unless a comment says
// otherwise a function may be called from any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "broch/dlpack.h"
#include "broch/ext/autograd.h"
#include "broch/ext/variables.h"
#include "runtime/device_facts.hpp"
#include "runtime/program.hpp"
#include "runtime/tensor.hpp"
#include "runtime/update_rule.hpp"

namespace broch::runtime {

// A resolved operator; lives as long as the backend.
struct Operator;

// broch_value whose tensors are implementation pointers (Tensor::impl) instead of handles, as
// integers; in results they carry one reference that the caller takes over.
using RawValue = broch_value;

// What resolve and call throw: with the status that a plugin gets for it.
class __attribute__((visibility("default"))) OperatorError : public base::Error {
 public:
  OperatorError(broch_status status, const base::Diagnostic& diagnostic)
      : base::Error(
            status == BROCH_E_RESOURCE_EXHAUSTED ? base::Exit::memory : base::Exit::training,
            diagnostic),
        status_(status) {}
  broch_status status() const { return status_; }

 private:
  broch_status status_;
};

// Where the draws of random operators come from: one per tower call, keyed by site, so that no
// other operator's draws move when one is pruned, evaluated, verified or resumed.
struct DrawKey {
  uint64_t key = 0;      // hash of root seed, rank, tower and site
  uint64_t counter = 0;  // index of the hooked run
};
class Draws {
 public:
  virtual ~Draws() = default;
  virtual DrawKey next(std::string_view operator_name) = 0;
};

// Host code as one operator: of a plugin, or of the host.
struct HostKernel {
  virtual ~HostKernel() = default;
  // Memory of the CPU, row-major without gaps; dtype.bits 0: there is no tensor. draw: of a random
  // one. Throws base::Error.
  virtual void run(std::span<const broch_dl_tensor> inputs,
                   std::span<const broch_dl_tensor> outputs, DrawKey draw) const = 0;

  std::string name;
  bool stateful = false;  // a recording keeps the call whoever reads its outputs
  bool random = false;
  bool meets = false;  // waits for the other towers of the step (TowerMeeting); calls nobody's code
};

// Per-thread state of a step, restored by the destructor: gradients on or off, autograd on this
// thread alone, no autocast, the source of draws. Made by Backend::enter.
class StepGuard {
 public:
  virtual ~StepGuard() = default;
};

struct BackendOptions {
  int threads = 1;               // intra-operator threads, the same for all towers
  bool deterministic = true;     // deterministic algorithms only
  Level level = Level::bitwise;  // what update may change
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string version()
      const = 0;  // "LibTorch 2.11.0 (AVX512)", for records and fingerprints
  virtual bool is_null() const { return false; }
  // The tag of ext/torch_cxx.h: a plugin of the same one may use at::Tensor. "": none may.
  virtual std::string build() const { return ""; }

  // Freezes threads and global flags; once, before the first tensor. [main]
  virtual void configure(const BackendOptions& options) = 0;
  virtual bool has_device(Device device) const = 0;
  // Why has_device says no; "" when it does not.
  virtual std::string why_not(Device) const { return ""; }
  // REQUIRES of the next three: has_device, and that it is not the CPU.
  virtual DeviceFacts facts(Device) { return {}; }
  virtual void reset_peak(Device) {}
  virtual void synchronize(Device) {}
  // How references to the implementation pointers of RawValue are counted.
  virtual const Counting& counting() const = 0;

  // --- data
  virtual Tensor zeros(broch_dtype dtype, const Shape& shape, Device device) = 0;
  virtual Tensor copy_in(const broch_dl_tensor& data, Device device) = 0;  // checked; always a copy
  virtual Tensor take(broch_dl_managed* data, Device device) = 0;  // deleter called on failure too
  virtual broch_dl_managed* share_out(const Tensor& tensor) = 0;
  virtual broch_dl_tensor view(const Tensor& tensor) = 0;  // shape and strides live in the tensor
  virtual TensorInfo info(const Tensor& tensor) = 0;
  // Address of the first element; nullptr without elements. Any layout.
  virtual const std::byte* first_byte(const Tensor& tensor) {
    const broch_dl_tensor data = view(tensor);
    return static_cast<const std::byte*>(data.data) + data.byte_offset;
  }
  virtual int64_t elements(const Tensor& tensor) = 0;
  virtual double item(const Tensor& tensor) = 0;  // REQUIRES: one element
  virtual void copy_out(const Tensor& tensor, broch_dtype dtype, void* bytes, size_t size) = 0;
  virtual Tensor copy(const Tensor& tensor, Device device) = 0;  // detached copy
  virtual Tensor detach(const Tensor& tensor) = 0;               // same memory, no gradient
  // A copy there through which gradients flow back.
  virtual Tensor brought_to(Device, const Tensor& tensor) { return tensor; }
  // Sums on the device of the first list, by NCCL: tensor i of each of them. Empty where it cannot:
  // tensors that do not lie each on a CUDA device of its own, or of a dtype that NCCL does not add.
  // lists: one behind the other, of n tensors each.
  virtual std::vector<Tensor> sum_over_devices(std::span<const Tensor> /* lists */,
                                               size_t /* n */) {
    return {};
  }
  // How often operators have written to its memory; 0 where nobody counts.
  virtual uint64_t writes_to(const Tensor&) { return 0; }
  // target's values become value's, in place, below autograd's version counting for target's
  // readers; shapes and dtypes agree or it throws. value may be rows, see CompileOptions.
  virtual void assign(const Tensor& target, const Tensor& value) = 0;

  // --- variables
  // Fills per BROCH_INIT_…; the draw depends on key, shape and dtype alone. values only for
  // BROCH_INIT_VALUES.
  virtual Tensor initial(const broch_variable_spec& spec, uint64_t key, Device device) = 0;
  // One buffer in which every tensor starts at a multiple of 64 bytes (CPU) or 256 (CUDA), padding
  // zero; views[i] has the shape of tensors[i] and holds its values.
  struct Flat {
    Tensor buffer;
    std::vector<Tensor> views;
  };
  virtual Flat flatten(std::span<const Tensor> tensors) = 0;
  // Like flatten of zeros with the layout of another list.
  virtual Flat flat_zeros_like(std::span<const Tensor> tensors) = 0;
  // A leaf that autograd differentiates with respect to, aliasing the variable's memory as it is
  // now.
  virtual Tensor leaf(const Tensor& variable) = 0;

  // --- operators and gradients; inside a StepGuard
  virtual Operator* resolve(const std::string& schema) = 0;  // throws CallError-like base::Error
  virtual const char* operator_name(const Operator* op) const = 0;
  // The declared arguments that this call writes to, bit i for argument i: from the schema, and
  // from a list of operators that write without saying so.
  virtual uint64_t writes(const Operator*, const RawValue*, uint32_t) const { return 0; }
  // Whether it hands a value to the host, or its result's shape depends on values.
  virtual bool reads_value(const Operator*) const { return false; }
  // Arguments borrowed; at most m results written, their number returned. The elements of a result
  // that is a list take one place each.
  virtual uint32_t call(Operator* op, const RawValue* args, uint32_t n, RawValue* results,
                        uint32_t m) = 0;
  virtual std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                                   std::span<const Tensor> grad_outputs, bool create_graph,
                                   bool allow_unused) = 0;
  // A node of the graph whose forward and backward are given as functions over tensors. Forward
  // gets the saved list to fill; backward gets it back.
  struct CustomFunction {
    std::string name;
    std::function<std::vector<Tensor>(std::span<const Tensor> inputs, std::vector<Tensor>& save)>
        forward;
    std::function<std::vector<Tensor>(std::span<const Tensor> grad_outputs,
                                      std::span<const Tensor> saved)>
        backward;
  };
  virtual std::vector<Tensor> apply(std::shared_ptr<CustomFunction> function,
                                    std::span<const Tensor> inputs) = 0;
  // Runs host code as an operator without a derivative. Inputs may be undefined; outputs: what the
  // results are, dtype 0: undefined. REQUIRES: inputs are on the CPU.
  virtual std::vector<Tensor> call(std::shared_ptr<const HostKernel> kernel,
                                   std::span<const Tensor> inputs,
                                   std::span<const TensorInfo> outputs) = 0;
  virtual std::unique_ptr<StepGuard> enter(bool gradients, Draws* draws) = 0;
  // As long as it lives: operators that this thread calls past this interface draw from the draws
  // of the innermost step. Throws OperatorError where they cannot be seen.
  virtual std::unique_ptr<StepGuard> watch() { return nullptr; }

  // --- recording
  // "" or why no computation can be recorded.
  virtual std::string recording_problem() { return "this runtime computes nothing"; }
  // REQUIRES: there is no problem.
  virtual std::unique_ptr<Recorder> record() { return nullptr; }
  // Names of the passes that compile can leave out, in the order in which they are done.
  virtual std::vector<std::string> passes() const { return {}; }
  // "" when both tensors have the same shape, dtype and bits (tolerance 0), or differ by at most
  // tolerance times the largest element; else the first difference in words.
  virtual std::string difference(const Tensor&, const Tensor&, double) { return ""; }
  // Squares: of the distance of b from a, of the length of a. REQUIRES: the same shape.
  struct Distance {
    double apart = 0, length = 0;
  };
  virtual Distance distance(const Tensor&, const Tensor&) { return {}; }

  // --- update
  virtual void update(const UpdateStep& step) = 0;
};

// Names and shapes, hardly a number: all elements of a tensor are one and the same value. A result
// of an operator has dtype, shape and value of its first tensor argument; of one that takes a
// generator, a value made of the draw; of host code, which is not called, zeros. Gradients are
// zeros and updates change nothing.
std::unique_ptr<Backend> make_null_backend();

// Opens the LibTorch half, a shared object beside the program (../lib/broch/broch_torch.so). Throws
// base::Error (Exit::plugin) saying how to get LibTorch when it is missing. [main]
std::unique_ptr<Backend, void (*)(Backend*)> open_torch_backend();

}  // namespace broch::runtime
