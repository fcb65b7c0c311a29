// executable.hpp: a program with its memory: a list of calls with fixed arguments.
#pragma once
#include "compiler/recorded_program.hpp"
#include "memory_plan.hpp"
#include "program/program.hpp"
#include "runtime/program.hpp"
#include "runtime/stoppable.hpp"

namespace broch::compiler {

// prepared: of an executable that was compiled alike; nullptr: it is computed. The constructor
// throws base::Error if a call that is executed once fails.
class TorchExecutable final : public Executable, public Stoppable, private Binder {
 public:
  TorchExecutable(Program program, const CompileOptions& options, ExecutableInfo info,
                  std::shared_ptr<const Prepared> prepared);
  const std::shared_ptr<const Prepared>& prepared() const { return prepared_; }

  void set(uint32_t slot, const Tensor& value) override;
  bool uses(uint32_t slot) const override;
  void run(uint64_t counter, const Notify& notify) override;
  std::vector<double> time(uint64_t counter) override;
  const Tensor& output(size_t place) const override { return outputs_[place]; }
  void poison() override;
  const ExecutableInfo& info() const override { return info_; }
  std::string text() const override;
  void stop_when(const std::atomic<bool>* flag) override { stop_ = flag; }

 private:
  void* address(int view) const override;
  const at::Tensor& tensor(int view) const override;
  void prepare();
  void give_memory(const MemoryPlan& plan, Workspace* workspace);
  c10::Storage storage_on(void* address, size_t bytes) const;
  Kernel bound(const Node& node, const std::vector<size_t>& scratch);
  Kernel operator_call(const Node& node, const std::vector<size_t>& scratch);
  std::vector<Allocation> planned(const Node& node, const std::vector<size_t>& scratch) const;
  void bind_inputs();
  void bind_outputs(const CompileOptions& options);
  void bind_parts(const CompileOptions& options);
  size_t written_by(uint32_t output) const;
  void run_steps(size_t end, size_t& next);

  Program program_;
  ExecutableInfo info_;
  Workspace own_workspace_;
  std::byte* values_ = nullptr;  // the planned values
  size_t values_bytes_ = 0;
  std::unique_ptr<PlannedRange> planned_;
  std::vector<std::unique_ptr<PlannedRange>>
      output_ranges_;                          // values that are computed where they are wanted
  std::vector<std::unique_ptr<Arena>> owned_;  // inputs
  std::shared_ptr<const Prepared> prepared_;
  std::vector<c10::Storage> storages_;       // by buffer
  mutable std::vector<at::Tensor> tensors_;  // by view; made when first used
  struct Step {
    size_t node;
    Kernel run;
  };
  std::vector<Step> steps_;
  struct Slot {
    uint32_t number;
    int view;
    bool dense;  // row-major without gaps, so that bytes can be copied
    void* address;
  };
  std::vector<Slot> slots_;  // sorted by number; a number can occur more than once
  uint64_t counter_ = 0;
  const std::atomic<bool>* stop_ = nullptr;
  torch::jit::Stack stack_;
  std::vector<Tensor> outputs_;
  struct Copy {
    at::Tensor to, from;
  };
  std::vector<Copy> copies_;  // outputs that could not be computed where they are wanted
  // How each output, by number, gets to where it is wanted.
  enum class Arrival : uint8_t { computed, copied, elsewhere };
  std::vector<Arrival> arrivals_;
  // A part is complete after this many steps; kCopied: after the copies. Sorted by steps.
  struct Part {
    size_t steps, number;
  };
  static constexpr size_t kCopied = SIZE_MAX;
  std::vector<Part> parts_;
};

}  // namespace broch::compiler
