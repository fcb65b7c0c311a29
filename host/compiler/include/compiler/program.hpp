// program.hpp: a recording as data: operator calls over buffers and views.
//
// Memory is the unit. A buffer stands for one storage of the recorded step; a view is where and how
// an operator looked at it. Calls keep descriptors, never tensors, so that the recorded step frees
// its memory, and LibTorch's engine adds in place or copies, exactly as it does unrecorded.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/allocator.hpp"
#include "compiler/names.hpp"
#include "runtime/backend.hpp"

namespace broch::compiler {

struct Buffer {
  enum class Kind : uint8_t {
    input,     // set before each run
    variable,  // outside, never moves, read anew in every run
    constant,  // the same in every run: `held` has the value
    value      // computed by a run
  };
  Kind kind = Kind::value;
  size_t bytes = 0;
  uint32_t slot = 0;                                       // input
  std::string name;                                        // input
  std::vector<std::pair<int64_t, std::string>> variables;  // variable: by offset in elements
  // variable: its storage. constant: a storage with the value. input, value: undefined, or the
  // storage outside the program in which it stands or is wanted.
  c10::Storage held;
  size_t offset = 0;        // input or value with a held storage: first byte there
  bool persistent = false;  // value computed once, before the first run
};

struct View {
  int buffer = -1;
  int64_t offset = 0;  // elements
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
  c10::IValue value;       // constant
  std::vector<int> views;  // tensor: one; kNoView where the tensor was undefined or none
};

struct Node;

// What a kernel is bound to: the addresses of the views that it named, for good.
class Binder {
 public:
  virtual ~Binder() = default;
  virtual void* address(int view) const = 0;  // of its first element
  virtual const at::Tensor& tensor(int view) const = 0;
};
using Kernel = std::function<void()>;

struct Node {
  std::string name;  // "aten::mm"; for kernels a name of their own
  std::optional<c10::OperatorHandle> op;
  c10::DispatchKeySet keys;
  std::vector<Argument> arguments, results;
  std::vector<int> reads, writes;       // buffers; writes include those that the call made
  std::vector<int> makes;               // buffers that came into being here
  std::vector<Allocation> allocations;  // bytes, freed; result below
  std::vector<int> allocation_of;       // by allocation: the buffer it became, -1: scratch or kept

  bool kernel = false;   // host code, see HostKernel
  bool foreign = false;  // that of a plugin, or that calls one
  bool keeps = false;    // runs whoever reads what it makes, in its place in the order
  bool random = false;
  DrawKey draw;        // key of the site
  int ordinal = 0;     // among the random operators of this site
  int generator = -1;  // argument that takes one

  // A kernel in place of the operator; unset: the operator is called.
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
  std::vector<int> outputs;               // views; kNoView where undefined
  std::vector<std::string> output_names;  // as far as there are any
  struct Input {
    uint32_t slot;
    int view;  // as recorded
  };
  std::vector<Input> inputs;  // a slot may be there more than once
  // The executable's options: which outputs are read, and which tolerance passes have.
  std::vector<uint32_t> wanted;
  std::vector<uint32_t> may_be_rows;  // those of them
  Level level = Level::bitwise;
  // Outputs whose view is of rows of a table, and where in the table they belong.
  struct Rows {
    uint32_t output;
    int indices;                 // view
    std::vector<int64_t> table;  // sizes
  };
  std::vector<Rows> rows;

  const Buffer& buffer_of(int view) const { return buffers[views[view].buffer]; }
  int view_number(const View& view);  // finds or adds
  // A new value buffer of this dtype and shape, as a contiguous view.
  int new_value(std::vector<int64_t> sizes, at::ScalarType dtype);
  const Rows* rows_of(uint32_t output) const;  // nullptr: it is no rows
  std::vector<bool> wanted_buffers() const;
  // Those that a call or an output looks at, if only at its shape.
  std::vector<bool> used_buffers() const;
};

// Adds a buffer that the list does not have.
void append_new(std::vector<int>& list, int buffer);

// "'fc1/W'", "input0", "%5": what stands at an offset of a buffer, in elements.
std::string memory_name(const Program& program, int buffer, int64_t offset);
// "%5 Float(32 64)"; what a view is of.
std::string describe(const Program& program, int view);
std::string describe(const Program& program, const Node& node);  // "%5 = aten::mm(%1, %2)"
std::string text_of(const Program& program);
std::string dot_of(const Program& program);

}  // namespace broch::compiler
