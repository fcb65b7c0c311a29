// program.hpp: a recorded program, and how it is run.
//
// A Recorder observes the operators of one tower call below autograd. The result is a
// RecordedProgram. It never changes, and it contains no plugin, no dispatcher and no autograd
// graph. For each set of outputs that is needed, it is compiled into an Executable, which owns
// memory.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/tensor.hpp"
#include "runtime/workspace.hpp"

namespace broch::runtime {

// How far a program may change results: `bitwise` keeps every bit of the eager step, `fast` may
// change the rounding.
enum class Level : uint8_t { bitwise, fast };

struct CompileOptions {
  std::vector<uint32_t> outputs;  // outputs to compute: numbers in Recorder::finish, ascending
  // Empty, or one per output: the memory in which that output is wanted; undefined: anywhere. Dtype
  // and shape must be those of the output. The memory must be contiguous, and not that of a
  // variable that the program reads. An output with gaps or with another order of its elements is
  // stored elsewhere, since its layout affects the bits of computations that read it.
  std::vector<Tensor> output_buffers;
  // By input slot; may be shorter than their number. External memory that contains this input when
  // a run begins, so that setting it to a tensor in that memory copies nothing. Undefined: the
  // executable uses its own memory. Dtype and shape must be those of the input, and the memory must
  // be contiguous. Runs do not write to it.
  std::vector<Tensor> inputs;
  // Empty, or one per output: whether this output, the gradient of a table, may be returned as
  // rows. Then it is a sparse tensor. The first entry for each row that was looked up has the sum,
  // and the others have zeros.
  std::vector<bool> rows;
  // Sets of outputs, by number. A run notifies its caller of a set as soon as its outputs are
  // computed, in their output_buffers if they have them. A set with an output that is stored
  // elsewhere is never reported.
  std::vector<std::vector<uint32_t>> parts;
  // The highest level to use. With kernels that keep state or communicate with other towers or
  // ranks, the level is always bitwise: what they get must not depend on whether a step is replayed
  // or compared.
  Level level = Level::bitwise;
  std::set<std::string, std::less<>> without;  // the names of passes to leave out
  // The memory for intermediate values. It must outlive the executable. nullptr: the executable has
  // its own. Executables that share a workspace overwrite each other's outputs.
  Workspace* workspace = nullptr;
};

struct ExecutableInfo {
  size_t calls = 0;                 // the number of operators and kernels that a run executes
  size_t planned_bytes = 0;         // memory of all values, if it is reused as planned
  size_t unplanned_bytes = 0;       // memory of all values without reuse
  std::vector<std::string> passes;  // the passes that changed something, such as "prune 12"
  bool calls_host_code = false;     // it has kernels other than those in which towers meet
  Level level = Level::bitwise;     // the level that was used
};

// A compiled program. One run at a time. Outputs are valid until the next run overwrites them.
class Executable {
 public:
  virtual ~Executable() = default;
  // Sets the value of an input slot for the next runs. It is copied unless it is already in the
  // memory of the slot. Shape and dtype must be as recorded.
  virtual void set(uint32_t slot, const Tensor& value) = 0;
  virtual bool uses(uint32_t slot) const = 0;
  // `counter` is for random numbers. `notify` is called during the run when a set of
  // CompileOptions::parts is complete; the order is not specified. Throws base::Error, which names
  // the operator.
  using Notify = std::function<void(size_t part)>;
  virtual void run(uint64_t counter, const Notify& notify = {}) = 0;
  // Runs once and measures each call: the times in microseconds, in the order of the calls.
  virtual std::vector<double> time(uint64_t counter) = 0;
  // `place` is an index into CompileOptions::outputs. Undefined if the recorded output was
  // undefined.
  virtual const Tensor& output(size_t place) const = 0;
  // Fills all values that a run computes with 0xFF bytes, so that a value that is not computed is
  // noticed.
  virtual void poison() = 0;
  virtual const ExecutableInfo& info() const = 0;
  // The calls that a run executes, one per line, then the outputs.
  virtual std::string text() const = 0;
};

class RecordedProgram {
 public:
  virtual ~RecordedProgram() = default;
  virtual std::unique_ptr<Executable> compile(const CompileOptions& options) const = 0;
  virtual size_t operators() const = 0;
  // The recording as text, one operator per line, and as a graph for Graphviz.
  virtual std::string text() const = 0;
  virtual std::string dot() const = 0;
};

// Records the operators that this thread calls, from construction to destruction.
class Recorder {
 public:
  virtual ~Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // A copy of `value` that the recording treats as an input slot. Computations must use the copy.
  virtual Tensor input(uint32_t slot, const Tensor& value) = 0;
  // Declares a value that the host made from numbers and that is the same in every run; after
  // variable(), that this variable never changes: what follows from it alone is computed once.
  virtual void constant(const Tensor& value) = 0;
  // Declares memory that never moves and is read in every run. `name` is for text().
  virtual void variable(const std::string& name, const Tensor& value) = 0;
  // Sets whose operators follow, for the message of a refusal; "": unknown.
  virtual void attribute(const std::string& part) = 0;
  // Declares that this computation cannot be replayed. The first reason is kept.
  virtual void refuse(const std::string& why) = 0;
  // The reason; "" if there is none.
  virtual const std::string& refusal() const = 0;

  // The program that computes these values, some of which may be undefined; nullptr after a
  // refusal. `names` are names of the first outputs, for text().
  virtual std::unique_ptr<RecordedProgram> finish(std::span<const Tensor> outputs,
                                                  std::vector<std::string> names = {}) = 0;

 protected:
  Recorder() = default;
};

// Makes a recorder the current one of this thread, so that the host can find it.
class Recording {
 public:
  explicit Recording(Recorder& recorder);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  static Recorder* current();  // nullptr if nothing is being recorded

 private:
  Recorder* outer_;
};

}  // namespace broch::runtime
