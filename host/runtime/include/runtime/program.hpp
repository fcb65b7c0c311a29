// program.hpp: a recorded computation, and what runs it.
//
// A Recorder watches the operators of one tower call below autograd. What it saw is a
// RecordedProgram: immutable, without a plugin, a dispatcher's decision or a graph in it. For each
// set of outputs that somebody reads it is compiled into an Executable, which owns memory.
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

// What a program may change: bitwise keeps every bit of the eager step, fast keeps values within
// rounding.
enum class Level : uint8_t { bitwise, fast };

struct CompileOptions {
  std::vector<uint32_t> outputs;  // that are read, by their number in Recorder::finish; ascending
  // As many, or none: the memory in which that output is wanted; undefined: anywhere. Same dtype
  // and shape, contiguous, not the memory of a variable that the program reads. An output with gaps
  // or in another order of its elements stays as it is: its layout decides bits of who reads it.
  std::vector<Tensor> output_buffers;
  // By input slot, as far as there are any: memory outside in which that input stands when a run
  // begins, so that setting it to a tensor there copies nothing. Undefined: memory of its own. Same
  // dtype and shape, contiguous. Runs do not write there.
  std::vector<Tensor> inputs;
  // As many, or none: whether that output, the gradient of a table, may come as rows. It is a
  // sparse tensor then: each row that was looked up once with its sum and again with zeros.
  std::vector<bool> rows;
  // Sets of outputs, by number, that a run tells of as soon as they are there, in their places
  // where they have some. One with an output that stays elsewhere (see output_buffers) is never
  // reported.
  std::vector<std::vector<uint32_t>> parts;
  // At most. What a program hands to code that keeps state, other towers and ranks among it, must
  // not depend on whether the step is replayed or compared: with such code in it, it is bitwise.
  Level level = Level::bitwise;
  std::set<std::string, std::less<>> without;  // passes that are left out, by name
  // Where values lie between the calls of a run; outlives the executable. nullptr: of its own.
  // Executables that share one overwrite each other's outputs.
  Workspace* workspace = nullptr;
};

struct ExecutableInfo {
  size_t calls = 0;                 // operators and kernels that a run executes
  size_t planned_bytes = 0;         // of all values, with memory reused
  size_t unplanned_bytes = 0;       // the same if nothing were
  std::vector<std::string> passes;  // that changed something, "prune 12"
  bool calls_host_code = false;     // kernels, but those in which towers meet
  Level level = Level::bitwise;     // that it was compiled at
};

// One run at a time. Its outputs stay where they are; the next run overwrites them.
class Executable {
 public:
  virtual ~Executable() = default;
  // The value of an input slot for the next runs; copied unless it stands in the slot's own memory.
  // Shape, dtype as recorded.
  virtual void set(uint32_t slot, const Tensor& value) = 0;
  virtual bool uses(uint32_t slot) const = 0;
  // counter: of the draws. notify: called in the middle of the run when a part of CompileOptions is
  // there, in no particular order. Throws base::Error naming the operator.
  using Notify = std::function<void(size_t part)>;
  virtual void run(uint64_t counter, const Notify& notify = {}) = 0;
  // A run whose calls are timed one by one: microseconds, in their order.
  virtual std::vector<double> time(uint64_t counter) = 0;
  // By place in CompileOptions::outputs; undefined where the recorded one was.
  virtual const Tensor& output(size_t place) const = 0;
  // Fills every value that a run computes with 0xFF, so that what it forgets is seen.
  virtual void poison() = 0;
  virtual const ExecutableInfo& info() const = 0;
  // What a run executes, one line a call, then the outputs.
  virtual std::string text() const = 0;
};

class RecordedProgram {
 public:
  virtual ~RecordedProgram() = default;
  virtual std::unique_ptr<Executable> compile(const CompileOptions& options) const = 0;
  virtual size_t operators() const = 0;
  // The recording, one line an operator; as a picture for Graphviz.
  virtual std::string text() const = 0;
  virtual std::string dot() const = 0;
};

// From its construction to its destruction operators that this thread calls are recorded.
class Recorder {
 public:
  virtual ~Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // A copy of value that the recording knows as input slot: compute with it instead.
  virtual Tensor input(uint32_t slot, const Tensor& value) = 0;
  // A value that was made from the host's numbers and is the same in every run.
  virtual void constant(const Tensor& value) = 0;
  // Memory that never moves, read anew in every run. name: for texts.
  virtual void variable(const std::string& name, const Tensor& value) = 0;
  // Whose operators follow, for the words of a refusal; "": nobody's in particular.
  virtual void attribute(const std::string& part) = 0;
  // This computation cannot be replayed; the first reason stays.
  virtual void refuse(const std::string& why) = 0;
  // "" as long as it can.
  virtual const std::string& refusal() const = 0;

  // The program that computes these values (undefined entries allowed); nullptr when refused.
  // names: of as many of them, for texts.
  virtual std::unique_ptr<RecordedProgram> finish(std::span<const Tensor> outputs,
                                                  std::vector<std::string> names = {}) = 0;

 protected:
  Recorder() = default;
};

// Where the host finds the recorder that its thread records with.
class Recording {
 public:
  explicit Recording(Recorder& recorder);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  static Recorder* current();  // nullptr when nothing is recorded

 private:
  Recorder* outer_;
};

}  // namespace broch::runtime
