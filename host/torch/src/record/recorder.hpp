// recorder.hpp: turns the operators that a thread calls into a program.
#pragma once
#include <unordered_map>
#include <utility>

#include "names.hpp"
#include "program/program.hpp"
#include "record/key.hpp"
#include "runtime/program.hpp"

namespace broch::libtorch {

class TorchRecorder final : public Recorder {
 public:
  TorchRecorder();
  ~TorchRecorder() override;

  Tensor input(uint32_t slot, const Tensor& value) override;
  void constant(const Tensor& value) override;
  void variable(const std::string& name, const Tensor& value) override;
  void attribute(const std::string& part) override { part_ = part; }
  void refuse(const std::string& why) override;
  const std::string& refusal() const override { return refusal_; }
  std::unique_ptr<RecordedProgram> finish(std::span<const Tensor> outputs,
                                          std::vector<std::string> names) override;

  // The innermost recorder of this thread.
  static TorchRecorder* current();
  // Calls the operator below the recording key and records it. REQUIRES: the key is excluded.
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack& stack);
  const Program& program() const { return program_; }

 private:
  int find(const at::Tensor& tensor) const;  // the buffer; -1: unknown
  int add(const at::Tensor& tensor, Buffer buffer);
  int add_constant(const at::Tensor& tensor);
  int view_of(const at::Tensor& tensor, int buffer);
  int argument_view(const at::Tensor& tensor, const Node& node);
  Argument argument_of(const c10::IValue& value, Node& node);
  Argument result_of(const c10::IValue& value, Node& node);
  int result_view(const at::Tensor& tensor, Node& node);
  void mark_writes(std::span<const c10::IValue> arguments, Node& node);
  void mark_draw(std::span<const c10::IValue> arguments, Node& node);
  void settle_allocations(std::span<const c10::IValue> results, Node& node);

  c10::impl::IncludeDispatchKeyGuard seen_{kRecordingKey};
  TorchRecorder* outer_;
  std::string part_, refusal_;
  Program program_;
  // Weak references: the memory of a storage is freed as usual, but its address is not reused.
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> pins_;
  std::unordered_map<const c10::StorageImpl*, int> buffers_;
};

}  // namespace broch::libtorch
