// lower.hpp: functions for passes that replace operators by kernels.
#pragma once
#include <algorithm>
#include <optional>

#include "passes/passes.hpp"

namespace broch::passes {

// Whether the view is float32 and row-major without gaps.
bool is_dense_float(const Program& program, int view);

// The same for all views except kNoView.
bool all_dense_or_none(const Program& program, std::initializer_list<int> views);

// Whether both views are float32, have the same sizes and the same element order, and have no gaps.
bool same_memory(const Program& program, int a, int b);
// Whether both views, which may have different dtypes, have the same sizes and element order
// without gaps.
bool same_order(const Program& program, int a, int b);

// Whether the view is images (n, channels, height, width) in the layout channels last.
bool is_channels_last(const View& view);

struct Uses;

// A float32 matrix in memory.
struct Matrix {
  int view = kNoView;
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;
};
// For a view with two dimensions whose elements do not overlap.
std::optional<Matrix> matrix_of(const Program& program, int view);

// Whether the call casts float32 to bfloat16, or back, and moves no element, into a buffer that no
// other call writes to.
bool is_plain_cast(const Program& program, const Uses& uses, const Node& node, at::ScalarType to);

// Replaces the operator by a kernel. Arguments, results and buffers stay.
void lower(Node& node, std::string name, std::function<Kernel(const Binder&)> bind);

// Marks a call whose work another call does. The next drop_absorbed removes it.
void absorb(Node& node);
void drop_absorbed(std::vector<Node>& nodes);

// Passes compare views by their numbers, so equal views must have one number.
void replace_view(Program& program, int number, int by);

// Every call that reads a buffer reads another one instead. Its views stay.
void read_instead(Program& program, int buffer, int other);

// Adds memory for the node that is only needed while it runs. Returns a view of `floats` float32
// elements.
int add_scratch(Program& program, Node& node, int64_t floats);

// Whether the values of the view are the same in every run.
bool is_fixed(const Program& program, int view);
// Memory for `floats` float32 elements that `write` fills once, before the first run, from a view
// that is fixed. Returns a view of it. name: of the call.
int add_prepared(Program& program, std::string name, int from, int64_t floats,
                 std::function<void(const float* from, float* to)> write);

// Which calls use each buffer of a program.
struct Uses {
  std::vector<std::vector<size_t>> readers, writers;  // by buffer, the indices of calls
  explicit Uses(const Program& program);
  // The only call that reads the buffer, if there is only one call that writes to it and it is no
  // wanted output.
  std::optional<size_t> only_reader(const Program& program, int buffer) const;
  // Whether nothing reads the other results of a call.
  bool only_first_result_is_read(const Program& program, const Node& node) const;
  // Whether a call between these two writes to the buffer.
  bool written_between(int buffer, size_t first, size_t last) const;
  std::vector<bool> wanted;
};

// The result of a call is to be added to what its memory contains, then perhaps a relu.
struct Accumulation {
  int result;  // the view where the call writes
  bool relu;
};
// If the only use of the result of call `at` is a sum with an older value that nobody needs
// afterwards, the call gets the memory of that value, and the sum and a relu after it are absorbed.
std::optional<Accumulation> accumulate(Program& program, Uses& uses, size_t at, int result);

template <class T>
T* at_address(const Binder& binder, int view) {
  return static_cast<T*>(binder.address(view));
}

inline float* address_or_null(const Binder& binder, int view) {
  return view == kNoView ? nullptr : at_address<float>(binder, view);
}

// The constant arguments of a call. `otherwise` is the result if there is none of this type.
double number_argument(const Node& node, size_t i, double otherwise);
int64_t integer_argument(const Node& node, size_t i, int64_t otherwise);
bool flag_argument(const Node& node, size_t i, bool otherwise);
std::vector<int64_t> integers_argument(const Node& node, size_t i);

}  // namespace broch::passes
