// lower.hpp: what passes that put kernels in the place of operators have in common.
#pragma once
#include <algorithm>
#include <optional>

#include "compiler/passes.hpp"

namespace broch::compiler {

// Memory of a view that is float32 and row-major without gaps; nullopt for all others.
bool is_dense_float(const Program& program, int view);

// Those of them that are there are.
bool all_dense_or_none(const Program& program, std::initializer_list<int> views);

// The elements of both lie in the same order, without gaps.
bool same_memory(const Program& program, int a, int b);

// Images (n, channels, height, width) of which the channels lie together.
bool is_channels_last(const View& view);

// A float32 matrix in memory.
struct Matrix {
  int view = kNoView;
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;
};
// Of a view with two dimensions that overlaps nowhere.
std::optional<Matrix> matrix_of(const Program& program, int view);

// Puts a kernel in the place of the operator. Arguments, results and buffers stay.
void lower(Node& node, std::string name, std::function<Kernel(const Binder&)> bind);

// Marks a call whose work another one does; it goes with the next drop_absorbed.
void absorb(Node& node);
void drop_absorbed(std::vector<Node>& nodes);

// Memory that the node alone needs while it runs; a view of `floats` float32.
int add_scratch(Program& program, Node& node, int64_t floats);

// How a buffer is used by the calls of a program.
struct Uses {
  std::vector<std::vector<size_t>> readers, writers;  // calls, by buffer
  explicit Uses(const Program& program);
  // The only call that reads what node wrote to buffer, when nobody else writes or wants it.
  std::optional<size_t> only_reader(const Program& program, int buffer) const;
  // Whether a call between the two writes to the buffer.
  bool written_between(int buffer, size_t first, size_t last) const;
  std::vector<bool> wanted;
};

template <class T>
T* at_address(const Binder& binder, int view) {
  return static_cast<T*>(binder.address(view));
}

inline float* address_or_null(const Binder& binder, int view) {
  return view == kNoView ? nullptr : at_address<float>(binder, view);
}

// The constant arguments of a call.
double number_argument(const Node& node, size_t i, double otherwise);
int64_t integer_argument(const Node& node, size_t i, int64_t otherwise);
bool flag_argument(const Node& node, size_t i, bool otherwise);
std::vector<int64_t> integers_argument(const Node& node, size_t i);

// Calls body(begin, end) over parts of [0, count), on all threads when the work is worth it. cost:
// floating-point operations for each of count.
void in_parallel(int64_t count, double cost, const std::function<void(int64_t, int64_t)>& body);
// Into how many parts this much work is worth being divided: 1 to the number of threads.
int64_t parts_for(double work);
// Work on `items` cut into as many pieces as it is worth, at multiples of `step`.
struct Parts {
  int64_t items, each, count;
  Parts(int64_t items, double work, int64_t step = 1);
  // body(begin, end, part), each part on a thread of its own.
  template <class Body>
  void run(const Body& body) const;
};
// Calls body(0) to body(count - 1), each on a thread of its own.
void each_part(int64_t count, const std::function<void(int64_t)>& body);

template <class Body>
void Parts::run(const Body& body) const {
  if (count == 1) return body(0, items, 0);
  each_part(count,
            [&](int64_t part) { body(part * each, std::min(items, (part + 1) * each), part); });
}

}  // namespace broch::compiler
