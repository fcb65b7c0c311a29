// pieces.cpp: how large a piece is follows from the sizes of values and weights alone, so that
// machines with other caches compute the same pieces.
#include "pieces.hpp"

#include <algorithm>

#include "graph/rows.hpp"

namespace broch::graph {
namespace {

// What an operator reads and writes in a piece should stay in a second-level cache.
constexpr int64_t kCacheBytes = 512 << 10;
// All weights are read again for each piece, which must cost little beside its values.
constexpr int64_t kValuesToWeights = 4;

// More than memory has. A bundle may ask for any size, and sums of these have less than 64 bits.
constexpr int64_t kMostBytes = int64_t{1} << 40;

int64_t bytes_of(const Type& type, std::span<const int64_t> sizes) {
  int64_t bytes = int64_t(runtime::dtype_size(type.dtype));
  for (const Number& size : type.shape)
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(0, size.value(sizes)), &bytes))
      return kMostBytes;
  return std::min(bytes, kMostBytes);
}

// Of one of the examples that lie along the first dimension.
int64_t bytes_of_example(broch_dtype dtype, const runtime::Shape& shape) {
  int64_t bytes = int64_t(runtime::dtype_size(dtype));
  for (const int64_t size : shape.span().subspan(1)) bytes *= size;
  return bytes;
}

}  // namespace

Pieces::Pieces(const Graph& graph, int32_t threads)
    : graph_(graph), threads_(threads), symbol_(batch_symbol(graph)) {
  if (symbol_ && !dependence_of_rows(graph, *symbol_).empty()) symbol_.reset();
  if (!symbol_) return;
  for (size_t i = 0; i < graph.weights.size(); ++i)
    weights_ += bytes_of(graph.type_of_weight(i), {});
  if (graph.symbols.size() == 1) always_ = that_fit(graph.least);
}

int64_t Pieces::examples(std::span<const int64_t> sizes) const {
  if (!symbol_ || sizes[*symbol_] < 2) return 0;
  const int64_t batch = sizes[*symbol_], least = std::max<int64_t>(1, graph_.least[*symbol_]);
  const int64_t most = always_ ? always_ : that_fit(sizes);
  const int64_t count = (batch + most - 1) / most;
  int64_t piece = std::max(least, (batch + count - 1) / count);  // all of about the same size
  while (batch % piece && batch % piece < least) ++piece;
  return piece < batch ? piece : 0;
}

int64_t Pieces::that_fit(std::span<const int64_t> sizes) const {
  std::vector<int64_t> one(sizes.begin(), sizes.end());
  one[*symbol_] = 1;
  int64_t largest = 1, all = 1;  // bytes of the values of an example: at one operator, and of all
  for (const Node& node : graph_.nodes) {
    int64_t bytes = 0;
    for (const int result : node.results)
      if (result >= 0) bytes += bytes_of(graph_.types[size_t(result)], one);
    largest = std::max(largest, 2 * bytes);  // its results, and as many operands
    all += bytes;
  }
  const int64_t fit = threads_ * kCacheBytes / largest, pay = kValuesToWeights * weights_ / all + 1;
  return std::max({fit, pay, int64_t(1)});
}

PieceOfInputs::PieceOfInputs(std::span<const runtime::TensorInfo> inputs, const void* const* data)
    : batch_(inputs[0].shape.dims[0]),
      infos_(inputs.begin(), inputs.end()),
      data_(data, data + inputs.size()) {
  for (const void* const one : data_) first_.push_back(static_cast<const std::byte*>(one));
}

void PieceOfInputs::choose(int64_t first, int64_t count) {
  for (size_t i = 0; i < infos_.size(); ++i) {
    infos_[i].shape.dims[0] = count;
    data_[i] = first_[i] + first * bytes_of_example(infos_[i].dtype, infos_[i].shape);
  }
}

PieceOfResults::PieceOfResults(const Graph& graph, std::span<const int64_t> sizes, Results& whole)
    : whole_(whole) {
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Type& type = graph.type_of_output(i);
    const runtime::Shape shape = shape_of(type, sizes);
    places_.push_back(static_cast<std::byte*>(whole.place(i, type.dtype, shape)));
  }
}

void* PieceOfResults::place(size_t output, broch_dtype dtype, const runtime::Shape& shape) {
  std::byte* const place = places_[output];
  return place ? place + first_ * bytes_of_example(dtype, shape) : nullptr;
}

}  // namespace broch::graph
