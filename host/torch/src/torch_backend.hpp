// torch_backend.hpp: the LibTorch backend. Each group of functions has its own source.
#pragma once
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/aten.hpp"
#include "names.hpp"
#include "operators.hpp"
#include "runtime/backend.hpp"

namespace broch::libtorch {

class TorchBackend final : public Backend {
 public:
  // backend.cpp
  std::string version() const override;
  std::string build() const override;  // build.cpp
  void configure(const BackendOptions& options) override;
  std::string why_not(Device device) const override;
  bool has_device(Device device) const override { return why_not(device).empty(); }
  DeviceFacts facts(Device device) override;
  void reset_peak(Device device) override;
  void synchronize(Device device) override;
  std::unique_ptr<StepGuard> enter(bool gradients, Draws* draws) override;
  std::unique_ptr<StepGuard> watch() override;
  const Counting& counting() const override { return kCounting; }

  // mixed_precision.cpp
  std::unique_ptr<StepGuard> mix_precision() override;
  Tensor widened(const Tensor& tensor) override;
  bool multiplies_bf16() const override;

  // tensors.cpp
  Tensor zeros(broch_dtype dtype, const Shape& shape, Device device) override;
  TensorInfo info(const Tensor& tensor) override;
  const std::byte* first_byte(const Tensor& tensor) override {
    return static_cast<const std::byte*>(
        static_cast<const c10::TensorImpl*>(tensor.impl())->data());
  }
  int64_t elements(const Tensor& tensor) override;
  double item(const Tensor& tensor) override;
  void copy_out(const Tensor& tensor, broch_dtype dtype, void* bytes, size_t size) override;
  Tensor copy(const Tensor& tensor, Device device) override;
  Tensor detach(const Tensor& tensor) override;
  Tensor brought_to(Device device, const Tensor& tensor) override;
  std::vector<Tensor> sum_over_devices(std::span<const Tensor> lists, size_t n) override;
  uint64_t writes_to(const Tensor& tensor) override;
  void assign(const Tensor& target, const Tensor& value) override;
  Tensor initial(const broch_variable_spec& spec, uint64_t key, Device device) override;

  // dlpack.cpp
  Tensor copy_in(const broch_dl_tensor& data, Device device) override;
  Tensor take(broch_dl_managed* data, Device device) override;
  broch_dl_managed* stage(broch_dl_managed* data, Device device) override;
  void await_staged(const broch_dl_managed& data) override;
  broch_dl_managed* share_out(const Tensor& tensor) override;
  broch_dl_tensor view(const Tensor& tensor) override;

  // resolve.cpp, call.cpp
  Operator* resolve(const std::string& schema) override;
  const char* operator_name(const Operator* op) const override { return op->name.c_str(); }
  const std::string& declared_schema(const Operator* op) const override {
    return op->declared_schema;
  }
  std::string schema(const std::string& name) override;
  uint64_t writes(const Operator* op, const RawValue* args, uint32_t n) const override;
  bool reads_value(const Operator* op) const override { return op->reads_value; }
  uint32_t call(Operator* op, const RawValue* args, uint32_t n, RawValue* results,
                uint32_t m) override;

  // autograd.cpp
  Tensor leaf(const Tensor& tensor) override;
  std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                           std::span<const Tensor> grad_outputs, bool create_graph,
                           bool allow_unused) override;
  std::vector<Tensor> apply(std::shared_ptr<CustomFunction> function,
                            std::span<const Tensor> inputs) override;

  // kernel.cpp
  std::vector<Tensor> call(std::shared_ptr<const HostKernel> kernel, std::span<const Tensor> inputs,
                           std::span<const TensorInfo> outputs) override;

  // compare.cpp
  std::string recording_problem() override;
  std::unique_ptr<Recorder> record() override;
  std::vector<std::string> passes() const override;
  std::string difference(const Tensor& a, const Tensor& b, double tolerance) override;
  Distance distance(const Tensor& a, const Tensor& b) override;

  // update.cpp
  Flat flatten(std::span<const Tensor> tensors) override;
  Flat flat_zeros_like(std::span<const Tensor> tensors) override;
  void update(const UpdateStep& step) override;

 private:
  Level level_ = Level::bitwise;
  std::shared_mutex mutex_;                                               // protects operators_
  std::unordered_map<std::string, std::unique_ptr<Operator>> operators_;  // by declared schema
};

// The source of random keys from the innermost StepGuard of this thread; nullptr outside of steps.
Draws* current_draws();

}  // namespace broch::libtorch
