// backend.hpp: the interface to LibTorch, which the null backend implements, too.
//
// A backend only makes tensors, runs operators and differentiates. It knows nothing of variables,
// towers, collections or plans. Errors are base::Error (Exit::training or Exit::memory) with the
// message of the operator. Functions are [any] unless a comment says otherwise.
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

// A resolved operator. Valid as long as the backend.
struct Operator;

// A broch_value that contains pointers (Tensor::impl), as integers, in place of tensor handles. In
// results each carries one reference, which the caller takes over.
using RawValue = broch_value;

// The error of resolve and call. It has the status that the plugin gets.
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

// The source of the keys for random operators, one object per tower call. Each operator has a key
// of its own, so its random numbers stay the same when another operator is removed, or when a step
// is evaluated, verified or resumed.
struct DrawKey {
  uint64_t key = 0;      // a hash of the root seed, the rank, the tower and the operator's place
  uint64_t counter = 0;  // the number of the hooked run
};
class Draws {
 public:
  virtual ~Draws() = default;
  virtual DrawKey next(std::string_view operator_name) = 0;
  // Where operators without tensors among their arguments, such as zeros and randn, make tensors.
  virtual Device device() const = 0;
};

// Code of a plugin or of the host that is executed as one operator.
struct HostKernel {
  virtual ~HostKernel() = default;
  // The tensors are in CPU memory and row-major without gaps; dtype.bits 0 means that there is no
  // tensor. `draw` is the key if the kernel is random. Throws base::Error.
  virtual void run(std::span<const broch_dl_tensor> inputs,
                   std::span<const broch_dl_tensor> outputs, DrawKey draw) const = 0;

  std::string name;
  bool stateful = false;  // a recording keeps the call even if nobody reads its outputs
  bool random = false;
  bool meets = false;  // waits for the step's other towers (TowerMeeting); runs no plugin's code
};

// The settings of this thread during a step: gradients on or off, autograd on this thread only, no
// autocast but that of mix_precision, the source of random keys. Backend::enter makes them, and the
// destructor restores the old ones.
class StepGuard {
 public:
  virtual ~StepGuard() = default;
};

struct BackendOptions {
  int threads = 1;               // intra-operator threads, the same for all towers
  bool deterministic = true;     // deterministic algorithms only
  Level level = Level::bitwise;  // limits how update may round
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string version() const = 0;  // "LibTorch 2.11.0 (AVX512)", for logs and fingerprints
  virtual bool is_null() const { return false; }
  // The tag of ext/torch_cxx.h. A plugin with the same tag may use at::Tensor. "": no plugin may.
  virtual std::string build() const { return ""; }

  // Sets the number of threads and global flags. Called before the first tensor is made [main]. By
  // libbroch also later, with the same number of threads, while other threads may compute.
  virtual void configure(const BackendOptions& options) = 0;
  virtual bool has_device(Device device) const = 0;
  // Why has_device is false; "" if it is true.
  virtual std::string why_not(Device) const { return ""; }
  // REQUIRES, for the next three: has_device(device), and it is not the CPU.
  virtual DeviceFacts facts(Device) { return {}; }
  virtual void reset_peak(Device) {}
  virtual void synchronize(Device) {}
  // The functions that count references to the pointers in RawValue.
  virtual const Counting& counting() const = 0;

  // --- data
  virtual Tensor zeros(broch_dtype dtype, const Shape& shape, Device device) = 0;
  virtual Tensor copy_in(const broch_dl_tensor& data, Device device) = 0;  // checked; always copies
  virtual Tensor take(broch_dl_managed* data, Device device) = 0;  // deletes also on failure
  // Begins to copy data from the CPU to the device, and returns what take accepts; the copy goes on
  // meanwhile. Takes `data` over, also on failure. If the device is the CPU, or the data are on
  // another one already: `data` itself.
  virtual broch_dl_managed* stage(broch_dl_managed* data, Device) { return data; }
  // From now on operators find the values of data that were staged. They run on the default stream
  // of the data's device, on whatever thread.
  virtual void await_staged(const broch_dl_managed&) {}
  virtual broch_dl_managed* share_out(const Tensor& tensor) = 0;
  virtual broch_dl_tensor view(const Tensor& tensor) = 0;  // borrows shape and strides
  virtual TensorInfo info(const Tensor& tensor) = 0;
  // The address of the first element, for any layout; nullptr if there are no elements.
  virtual const std::byte* first_byte(const Tensor& tensor) {
    const broch_dl_tensor data = view(tensor);
    return static_cast<const std::byte*>(data.data) + data.byte_offset;
  }
  virtual int64_t elements(const Tensor& tensor) = 0;
  virtual double item(const Tensor& tensor) = 0;  // REQUIRES: one element
  virtual void copy_out(const Tensor& tensor, broch_dtype dtype, void* bytes, size_t size) = 0;
  virtual Tensor copy(const Tensor& tensor, Device device) = 0;  // without gradient history
  virtual Tensor detach(const Tensor& tensor) = 0;               // same memory, no history
  // A copy on that device, through which gradients flow back.
  virtual Tensor brought_to(Device, const Tensor& tensor) { return tensor; }
  // Adds lists of tensors, each on its own CUDA device, with NCCL. The results are on the device of
  // the first list: result i is the sum of tensor i of each list. `lists` contains all lists of n
  // tensors, one after the other. The result is empty if the devices or the dtype do not allow it.
  virtual std::vector<Tensor> sum_over_devices(std::span<const Tensor> /* lists */,
                                               size_t /* n */) {
    return {};
  }
  // How often operators have written to the tensor's memory; 0 if the backend does not count that.
  virtual uint64_t writes_to(const Tensor&) { return 0; }
  // Copies the values of `value` to `target`, in place. Autograd's version counter of `target` does
  // not change. Throws if shapes or dtypes differ. `value` may be rows, see CompileOptions.
  virtual void assign(const Tensor& target, const Tensor& value) = 0;

  // --- variables
  //
  // A tensor with the initial values of BROCH_INIT_…. Random values depend only on key, shape and
  // dtype.
  virtual Tensor initial(const broch_variable_spec& spec, uint64_t key, Device device) = 0;
  // `buffer` contains all tensors. Each starts at a multiple of 64 bytes (CPU) or 256 (CUDA), and
  // the padding is zero. views[i] has the shape and the values of tensors[i].
  struct Flat {
    Tensor buffer;
    std::vector<Tensor> views;
  };
  virtual Flat flatten(std::span<const Tensor> tensors) = 0;
  // The same with zeros in place of the values.
  virtual Flat flat_zeros_like(std::span<const Tensor> tensors) = 0;
  // A leaf of the autograd graph, which shares the memory that the tensor has now.
  virtual Tensor leaf(const Tensor& tensor) = 0;

  // --- operators and gradients; inside a StepGuard
  virtual Operator* resolve(const std::string& schema) = 0;  // throws OperatorError
  virtual const char* operator_name(const Operator* op) const = 0;
  // The schema with which it was resolved.
  virtual const std::string& declared_schema(const Operator* op) const = 0;
  // The schema of the operator with this name, such as "aten::add.Tensor"; "" if there is none.
  virtual std::string schema(const std::string& /* name */) { return ""; }
  // The declared arguments that this call writes to; bit i is argument i. They come from the
  // schema, and from a list of operators that write without declaring it.
  virtual uint64_t writes(const Operator*, const RawValue*, uint32_t) const { return 0; }
  // Whether the operator passes a value to the host, or the shape of its result depends on values.
  virtual bool reads_value(const Operator*) const { return false; }
  // The arguments are borrowed. Writes at most m results and returns their number. A result that is
  // a list takes one result per element.
  virtual uint32_t call(Operator* op, const RawValue* args, uint32_t n, RawValue* results,
                        uint32_t m) = 0;
  virtual std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                                   std::span<const Tensor> grad_outputs, bool create_graph,
                                   bool allow_unused) = 0;
  // A node of the autograd graph whose forward and backward are functions over tensors. `forward`
  // fills the list of saved tensors, and `backward` gets it.
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
  // Runs host code as an operator without a derivative. Inputs may be undefined. `outputs`
  // describes the results; dtype 0 is an undefined result. REQUIRES: the inputs are on the CPU.
  virtual std::vector<Tensor> call(std::shared_ptr<const HostKernel> kernel,
                                   std::span<const Tensor> inputs,
                                   std::span<const TensorInfo> outputs) = 0;
  virtual std::unique_ptr<StepGuard> enter(bool gradients, Draws* draws) = 0;
  // While the result exists, operators that this thread calls without this interface also use the
  // random keys of the innermost step. Throws OperatorError if such calls cannot be observed.
  virtual std::unique_ptr<StepGuard> watch() { return nullptr; }

  // --- recording
  //
  // Why computations cannot be recorded; "" if they can.
  virtual std::string recording_problem() { return "this runtime computes nothing"; }
  // REQUIRES: recording_problem() is "".
  virtual std::unique_ptr<Recorder> record() { return nullptr; }
  // The names of the passes that compile can leave out, in the order in which they run.
  virtual std::vector<std::string> passes() const { return {}; }
  // "" if both tensors have the same shape, dtype and bits (tolerance 0), or differ by at most
  // `tolerance` times the largest element. Otherwise describes the first difference.
  virtual std::string difference(const Tensor&, const Tensor&, double) { return ""; }
  // Squares: of the norm of b - a, and of the norm of a. REQUIRES: the shapes are equal.
  struct Distance {
    double apart = 0, length = 0;
  };
  virtual Distance distance(const Tensor&, const Tensor&) { return {}; }

  // --- update
  virtual void update(const UpdateStep& step) = 0;

  // --- mixed precision
  //
  // While the result exists, operators that this thread calls on the CPU compute in mixed
  // precision: matrix products and convolutions take and give bfloat16, sums, losses and the like
  // float32. Gradients of float32 tensors are float32.
  virtual std::unique_ptr<StepGuard> mix_precision() { return nullptr; }
  // float32 in place of bfloat16, through which gradients flow; any other tensor as it is.
  virtual Tensor widened(const Tensor& tensor) { return tensor; }
  // Whether this processor has instructions that multiply bfloat16: AVX512-BF16 or AMX.
  virtual bool multiplies_bf16() const { return true; }
};

// The null backend: names and shapes, and almost no numbers. All elements of a tensor have one
// common value. The result of an operator has the dtype, shape and value of the first tensor
// argument. If the operator takes a generator, the value depends on the random key instead. Host
// code is not called, and its results are zeros. Gradients are zeros, and updates change nothing.
std::unique_ptr<Backend> make_null_backend();

// Opens the LibTorch backend, a shared object (../lib/broch/broch_torch.so, relative to the
// program). If that fails, throws base::Error (Exit::plugin), which says how to get LibTorch.
// [main]
std::unique_ptr<Backend, void (*)(Backend*)> open_torch_backend();

}  // namespace broch::runtime
