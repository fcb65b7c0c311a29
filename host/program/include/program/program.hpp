// program.hpp: a recording as data: operator calls on buffers and views.
//
// A buffer stands for one storage of the recorded step, and a view for a tensor on it. Calls keep
// these descriptions and never tensors. So the recorded step can free its memory, and LibTorch's
// autograd engine, which decides by reference counts, adds in place or copies exactly as without
// recording.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/allocator.hpp"
#include "program/names.hpp"
#include "runtime/backend.hpp"

namespace broch::program {

struct Buffer {
  enum class Kind : uint8_t {
    input,     // set before each run
    variable,  // external memory that never moves and is read in every run
    constant,  // the same in every run; `held` has the value
    value      // computed by a run
  };
  Kind kind = Kind::value;
  size_t bytes = 0;
  uint32_t slot = 0;  // input
  std::string name;   // input
  // variable, or constant that was declared as one: their offsets in elements
  std::vector<std::pair<int64_t, std::string>> variables;
  // variable: its storage. constant: a storage with the value. input, value: undefined, or the
  // external storage in which the input is, or the value is wanted.
  c10::Storage held;
  size_t offset = 0;        // input or value with a held storage: the first byte in it
  bool persistent = false;  // a value that is computed once, before the first run
};

struct View {
  int buffer = -1;
  int64_t offset = 0;  // in elements
  std::vector<int64_t> sizes, strides;
  at::ScalarType dtype = at::kFloat;
  bool conjugate = false, negative = false, wrapped_number = false;

  int64_t elements() const;
  bool contiguous() const;  // row-major without gaps
  bool operator==(const View&) const = default;
};

constexpr int kNoView = -1;

// An argument or a result of a call.
struct Argument {
  enum class Kind : uint8_t { constant, tensor, tensors, optional_tensors };
  Kind kind = Kind::constant;
  c10::IValue value;       // for a constant
  std::vector<int> views;  // for a tensor: one; kNoView if the tensor is undefined or missing
};

struct Node;

// Gives a kernel the addresses and tensors of views; they never change.
class Binder {
 public:
  virtual ~Binder() = default;
  virtual void* address(int view) const = 0;  // of the first element
  virtual const at::Tensor& tensor(int view) const = 0;
};
using Kernel = std::function<void()>;

struct Node {
  std::string name;  // such as "aten::mm"; kernels have other names
  std::optional<c10::OperatorHandle> op;
  c10::DispatchKeySet keys;
  std::vector<Argument> arguments, results;
  std::vector<int> reads, writes;       // buffers; `writes` includes those in `makes`
  std::vector<int> makes;               // the buffers that this call creates
  std::vector<Allocation> allocations;  // only bytes and freed
  std::vector<int> allocation_of;       // by allocation: the buffer it became; -1: freed or kept

  bool kernel = false;   // host code, see HostKernel
  bool foreign = false;  // code of a plugin, or a kernel that calls a plugin
  bool keeps = false;    // it always runs, in this order, even if nobody reads its results
  bool random = false;
  DrawKey draw;        // the key of the place where it was called
  int ordinal = 0;     // its number among the random operators with this key
  int generator = -1;  // the argument that takes a generator

  // Makes a kernel that replaces the operator. Empty: the operator is called.
  std::function<Kernel(const Binder&)> bind;

  int argument_view(size_t i) const {
    return arguments[i].views.empty() ? kNoView : arguments[i].views[0];
  }
  int result_view(size_t i) const {
    return results[i].views.empty() ? kNoView : results[i].views[0];
  }
  bool is(std::string_view full_name) const { return !bind && name == full_name; }
};

struct Program {
  std::vector<Buffer> buffers;
  std::vector<View> views;
  std::vector<Node> nodes;
  std::vector<Node> once;                 // executed before the first run
  std::vector<int> outputs;               // views; kNoView for an undefined output
  std::vector<std::string> output_names;  // may be shorter than outputs
  struct Input {
    uint32_t slot;
    int view;  // as it was recorded
  };
  std::vector<Input> inputs;  // a slot can occur more than once
  // From CompileOptions: the outputs that are read.
  std::vector<uint32_t> wanted;
  std::vector<uint32_t> may_be_rows;  // those of them that may be rows
  Level level = Level::bitwise;
  // An output whose view contains rows of a table.
  struct Rows {
    uint32_t output;
    int indices;                 // view: where in the table the rows belong
    std::vector<int64_t> table;  // the shape of the table
  };
  std::vector<Rows> rows;

  const Buffer& buffer_of(int view) const { return buffers[views[view].buffer]; }
  int view_number(const View& view);  // finds the view or adds it
  // Adds a value buffer with this dtype and shape. Returns a contiguous view of it.
  int new_value(std::vector<int64_t> sizes, at::ScalarType dtype);
  const Rows* rows_of(uint32_t output) const;  // nullptr if it is not rows
  std::vector<bool> wanted_buffers() const;
  // The buffers that a call or an output refers to, even if only for their shape.
  std::vector<bool> used_buffers() const;
};

// Adds a buffer to the list unless it is there.
void append_new(std::vector<int>& list, int buffer);

// The name of the memory at an offset (in elements) of a buffer: "'fc1/W'", "input0", "%5".
std::string memory_name(const Program& program, int buffer, int64_t offset);
// A view, such as "%5 Float(32 64)".
std::string describe(const Program& program, int view);
std::string describe(const Program& program, const Node& node);  // "%5 = aten::mm(%1, %2)"
std::string text_of(const Program& program);
std::string dot_of(const Program& program);

}  // namespace broch::program
