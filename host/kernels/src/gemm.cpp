// gemm.cpp: matrix products in register blocks. Panels of B are packed, or read in place.
#include "kernels/gemm.hpp"

#include <array>
#include <utility>

#include "gemm_call.hpp"
#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gemm_pack-inl.hpp"
#include "gemm_transpose-inl.hpp"
#include "sums-inl.hpp"
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// kRows: the height of a block in rows, by the width of its panel in vectors. Accumulators, the
// vectors of the panel and one element of A fill the registers (32 with AVX-512, otherwise 16).
// kProductTime: the relative time, in percent, of a product in a full block. The more nearly square
// the block, the fewer the loads.
#if HWY_TARGET == HWY_AVX3
constexpr int kRows[] = {0, 14, 12, 8, 6};
constexpr int64_t kProductTime[] = {0, 150, 107, 103, 100};
#else
constexpr int kRows[] = {0, 12, 6, 3, 2};
constexpr int64_t kProductTime[] = {0, 120, 100, 120, 150};
#endif
constexpr int kMaxVectors = 4;

template <int rows, int vectors, bool unit_rows>
void block(const GemmTile& tile) {
  const int64_t a_row = unit_rows ? 1 : tile.a_row;
  Sums<rows, vectors> sums;
  sums.clear(tile);
  const float* a = tile.a;
  const float* b = tile.b;
  for (int64_t k = 0; k < tile.k; ++k, a += tile.a_column, b += tile.b_row)
    sums.add_panel(a, a_row, b);
  sums.finish(tile);
  sums.write(tile);
}

using Block = void (*)(const GemmTile&);

template <int vectors, bool unit_rows, int... rows>
constexpr std::array<Block, sizeof...(rows)> blocks(std::integer_sequence<int, rows...>) {
  return {&block<rows + 1, vectors, unit_rows>...};
}

// The function for a number of rows, from 1.
template <bool unit_rows>
Block block_for(int rows, int vectors) {
  static constexpr auto one = blocks<1, unit_rows>(std::make_integer_sequence<int, kRows[1]>());
  static constexpr auto two = blocks<2, unit_rows>(std::make_integer_sequence<int, kRows[2]>());
  static constexpr auto three = blocks<3, unit_rows>(std::make_integer_sequence<int, kRows[3]>());
  static constexpr auto four = blocks<4, unit_rows>(std::make_integer_sequence<int, kRows[4]>());
  const Block* const table[] = {one.data(), two.data(), three.data(), four.data()};
  return table[vectors - 1][rows - 1];
}

// Computes all rows of the range with one panel of B, in blocks of nearly equal height.
void panel_rows(const GemmCall& call, GemmTile& tile, int vectors, int64_t k, int64_t row,
                int64_t row_end, int64_t column) {
  const int64_t count = (row_end - row + kRows[vectors] - 1) / kRows[vectors];
  const int64_t least = (row_end - row) / count, higher = (row_end - row) % count;
  const bool unit_rows = call.shape.a.row == 1;
  const auto block_of = [=](int64_t rows) HWY_ATTR {
    const auto height = static_cast<int>(rows);
    return unit_rows ? block_for<true>(height, vectors) : block_for<false>(height, vectors);
  };
  const Block high = block_of(higher > 0 ? least + 1 : least), low = block_of(least);
  tile.a = call.a + row * tile.a_row + k * tile.a_column;
  tile.c = call.c + row * tile.c_row + column;
  if (tile.epilogue.gate) tile.epilogue.gate += row * tile.epilogue.gate_row + column;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t rows = i < higher ? least + 1 : least;
    (i < higher ? high : low)(tile);
    tile.a += rows * tile.a_row;
    tile.c += rows * tile.c_row;
    if (tile.epilogue.gate) tile.epilogue.gate += rows * tile.epilogue.gate_row;
  }
}

// The depth of one pass: then a panel of B and the rows of A fit the first cache.
constexpr int64_t kDepth = 512;
// The rows of one pass: then this part of A fits the second cache.
constexpr int64_t kHeight = 512;

// Whether the rows of B are read in place. This is slow if a panel is used more than once and its
// rows fall into few cache sets, or if it is used often and its rows straddle cache lines. With
// AVX2 a panel is one line wide, and blocks take long enough to hide the latency of the second
// cache, unless the panel is read very often.
bool reads_in_place(const float* b, const Strides& strides, int64_t rows, int vectors) {
  constexpr int64_t kFewRows = 48, kLine = 16, kSets = 1024;  // the last two are in floats
  if (strides.column != 1) return false;
  if (rows <= kRows[vectors]) return true;
  const bool aligned = reinterpret_cast<uintptr_t>(b) % 64 == 0 && strides.row % kLine == 0;
#if HWY_TARGET == HWY_AVX2
  return aligned && vectors * lanes() == kLine && rows <= 2 * kFewRows;
#endif
  const bool wide = vectors * lanes() >= 2 * kLine;
  return wide && (rows <= kFewRows || (aligned && strides.row % kSets != 0));
}

int64_t padded_columns(int64_t columns) { return (columns + lanes() - 1) / lanes() * lanes(); }

void run_part(const GemmCall& call, int64_t k, int64_t k_end, int64_t row, int64_t row_end) {
  const GemmShape& shape = call.shape;
  const int64_t step = lanes(), width = call.vectors * step;
  for (int64_t column = call.range.column_begin; column < call.range.column_end; column += width) {
    const int64_t left = call.range.column_end - column, columns = left < width ? left : width;
    const auto vectors = static_cast<int>((columns + step - 1) / step);
    GemmTile tile{};
    tile.a_row = shape.a.row;
    tile.a_column = shape.a.column;
    tile.c_row = shape.c_row;
    tile.k = k_end - k;
    tile.columns = columns;
    tile.epilogue.accumulate = k > 0 || call.epilogue.accumulate;
    if (k_end == shape.k) {
      tile.epilogue.relu = call.epilogue.relu;
      tile.epilogue.gate = call.epilogue.gate;
      tile.epilogue.gate_row = call.epilogue.gate_row;
      if (call.epilogue.bias) tile.epilogue.bias = call.epilogue.bias + column;
    }
    const float* const b = call.b + k * shape.b.row + column * shape.b.column;
    tile.b_row = vectors * step;
    if (call.packed) {
      tile.b = call.b + k * padded_columns(shape.n) + column * tile.k;
    } else if (columns == vectors * step && reads_in_place(b, shape.b, row_end - row, vectors)) {
      tile.b = b;
      tile.b_row = shape.b.row;
    } else {
      tile.b = call.scratch;
      pack_panel(b, shape.b, tile.k, columns, vectors, call.scratch);
    }
    panel_rows(call, tile, vectors, k, row, row_end, column);
  }
}

void run_straight(const GemmCall& call) {
  int64_t k = 0;
  do {
    const int64_t k_end = call.shape.k - k < kDepth ? call.shape.k : k + kDepth;
    for (int64_t row = call.range.row_begin; row < call.range.row_end; row += kHeight) {
      const int64_t left = call.range.row_end - row;
      run_part(call, k, k_end, row, row + (left < kHeight ? left : kHeight));
    }
    k = k_end;
  } while (k < call.shape.k);
}

// Writes all panels of B, those of one pass after those of the last.
void pack_gemm(const GemmShape& shape, int vectors, const float* b, float* packed) {
  for (int64_t k = 0; k < shape.k; k += kDepth) {
    const int64_t depth = shape.k - k < kDepth ? shape.k - k : kDepth, width = vectors * lanes();
    for (int64_t column = 0; column < shape.n; column += width) {
      const int64_t columns = shape.n - column < width ? shape.n - column : width;
      pack_panel(b + k * shape.b.row + column * shape.b.column, shape.b, depth, columns,
                 static_cast<int>(padded_columns(columns) / lanes()), packed + column * depth);
    }
    packed += depth * padded_columns(shape.n);
  }
}

int64_t packed_place(const GemmShape& shape, int vectors, int64_t k, int64_t column) {
  const int64_t begin = k / kDepth * kDepth, width = vectors * lanes();
  const int64_t depth = shape.k - begin < kDepth ? shape.k - begin : kDepth;
  const int64_t panel = column / width * width;
  const int64_t columns = shape.n - panel < width ? shape.n - panel : width;
  return begin * padded_columns(shape.n) + panel * depth + (k - begin) * padded_columns(columns) +
         (column - panel);
}

int64_t packed_floats(const GemmShape& shape) { return shape.k * padded_columns(shape.n); }

int64_t panel_columns(int vectors) { return vectors * lanes(); }

// Estimates the half cycles that all blocks take: two products per cycle, four cycles until a sum
// can be used again, and the stores.
int64_t cost_of(const GemmShape& shape, int vectors) {
  const int64_t step = lanes(), total = (shape.n + step - 1) / step;
  int64_t cost = 0;
  for (int64_t done = 0; done < total; done += vectors) {
    const int64_t width = total - done < vectors ? total - done : vectors;
    const int64_t count = (shape.m + kRows[width] - 1) / kRows[width];
    const int64_t rows = (shape.m + count - 1) / count, products = rows * width;
    cost += count * (shape.k * (products < 8 ? 8 : products) * kProductTime[width] / 100 +
                     2 * products + 60);
  }
  return cost;
}

int best_vectors(const GemmShape& shape) {
  int best = 1;
  for (int vectors = 2; vectors <= kMaxVectors; ++vectors) {
    if (shape.m > 0 && cost_of(shape, vectors) < cost_of(shape, best)) best = vectors;
  }
  return best;
}

int64_t panel_floats(int64_t k, int vectors) {
  return (k < kDepth ? k : kDepth) * vectors * lanes();
}

GemmShape transpose_of(const GemmShape& shape) {
  const auto transpose = [](Strides strides) { return Strides{strides.column, strides.row}; };
  return {shape.n, shape.m, shape.k, transpose(shape.b), transpose(shape.a), 0};
}

// Whether C^T = B^T A^T is faster. That is so if B is stored by columns and has many more of them
// than A has rows, as the weight of a layer: then transposing A and C costs less than transposing
// B.
bool is_faster_transposed([[maybe_unused]] const GemmShape& shape) {
#if HWY_TARGET == HWY_SCALAR
  return false;
#else
  if (shape.b.row != 1 || shape.b.column == 1 || shape.m < 1) return false;
  const GemmShape other = transpose_of(shape);
  const auto cost = [](const GemmShape& made, int64_t moved) {
    return cost_of(made, best_vectors(made)) + moved * 4 / 5;
  };
  return cost(other, shape.m * (shape.k + shape.n)) < cost(shape, shape.k * shape.n);
#endif
}

int vectors_of(const GemmShape& shape, bool is_transposed) {
  return best_vectors(is_transposed ? transpose_of(shape) : shape);
}

int64_t scratch_floats(const GemmShape& shape, int vectors, bool is_transposed) {
  const int64_t panel = panel_floats(shape.k, vectors);
  return is_transposed ? panel + shape.n * vectors * lanes() : panel;
}

#if HWY_TARGET != HWY_SCALAR
// Computes C^T, one panel of A^T at a time, and transposes each part into C.
void run_transposed(const GemmCall& call) {
  const GemmRange& range = call.range;
  const int64_t width = call.vectors * lanes(), columns = range.column_end - range.column_begin;
  float* const back = call.scratch + panel_floats(call.shape.k, call.vectors);
  for (int64_t row = range.row_begin; row < range.row_end; row += width) {
    const int64_t left = range.row_end - row, rows = left < width ? left : width;
    GemmCall part = call;
    part.shape = transpose_of(call.shape);
    part.shape.c_row = width;
    part.a = call.b + range.column_begin * call.shape.b.column;
    part.b = call.a + row * call.shape.a.row;
    part.c = back;
    part.epilogue = {};
    part.range = {0, columns, 0, rows};
    run_straight(part);
    transpose_back(call, back, width, row, rows);
  }
}
#endif

void run_gemm(const GemmCall& call) {
#if HWY_TARGET != HWY_SCALAR
  if (call.transposed) return run_transposed(call);
#endif
  run_straight(call);
}

void column_sums(const float* matrix, int64_t m, int64_t n, int64_t row, float* out,
                 bool accumulate) {
  constexpr int64_t kBlock = 512;  // rows
  sweep(n, [=](auto load, auto store, int64_t at) HWY_ATTR {
    F total = accumulate ? load(out + at) : hn::Zero(kFloats), lost = hn::Zero(kFloats);
    for (int64_t begin = 0; begin < m; begin += kBlock) {
      const int64_t end = begin + kBlock < m ? begin + kBlock : m;
      F even = hn::Zero(kFloats), odd = hn::Zero(kFloats);
      int64_t i = begin;
      for (; i + 2 <= end; i += 2) {
        even = hn::Add(even, load(matrix + i * row + at));
        odd = hn::Add(odd, load(matrix + (i + 1) * row + at));
      }
      if (i < end) even = hn::Add(even, load(matrix + i * row + at));
      // Keeps what the sum of many blocks rounds away (Kahan 1965).
      const F block = hn::Sub(hn::Add(even, odd), lost), sum = hn::Add(total, block);
      const F rounded = hn::Sub(hn::Sub(sum, total), block);
      lost = hn::IfThenElseZero(hn::Eq(rounded, rounded), rounded);  // NaN after an infinity
      total = sum;
    }
    store(total, out + at);
  });
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

GemmPlan::GemmPlan(const GemmShape& shape) noexcept
    : shape_(shape),
      isa_(isa()),
      transposed_(BROCH_KERNEL_FOR(isa_, is_faster_transposed)(shape)),
      vectors_(BROCH_KERNEL_FOR(isa_, vectors_of)(shape, transposed_)) {}

int64_t GemmPlan::scratch_size() const noexcept {
  return BROCH_KERNEL_FOR(isa_, scratch_floats)(shape_, vectors_, transposed_);
}

void run_gemm_call(Isa isa, const GemmCall& call) noexcept {
  BROCH_KERNEL_FOR(isa, run_gemm)(call);
}

int64_t gemm_panel_size(int64_t k) noexcept {
  constexpr int kMaxLanes = 16, kMaxVectors = 4;
  return k * kMaxVectors * kMaxLanes;
}

void GemmPlan::run(const float* a, const float* b, float* c, const GemmEpilogue& epilogue,
                   float* scratch, const GemmRange& range) const noexcept {
  run_gemm_call(isa_, {shape_, vectors_, a, b, c, epilogue, scratch, range, transposed_});
}

PackedGemmPlan::PackedGemmPlan(const GemmShape& shape) noexcept
    : shape_(shape), isa_(isa()), vectors_(BROCH_KERNEL_FOR(isa_, vectors_of)(shape, false)) {}

PackedGemmPlan PackedGemmPlan::with(int64_t m, const Strides& a) const noexcept {
  PackedGemmPlan other = *this;
  other.shape_.m = m;
  other.shape_.a = a;
  return other;
}

int64_t PackedGemmPlan::packed_size() const noexcept {
  return BROCH_KERNEL_FOR(isa_, packed_floats)(shape_);
}

int64_t PackedGemmPlan::panel() const noexcept {
  return BROCH_KERNEL_FOR(isa_, panel_columns)(vectors_);
}

void PackedGemmPlan::pack(const float* b, float* packed) const noexcept {
  BROCH_KERNEL_FOR(isa_, pack_gemm)(shape_, vectors_, b, packed);
}

int64_t PackedGemmPlan::place(int64_t k, int64_t column) const noexcept {
  return BROCH_KERNEL_FOR(isa_, packed_place)(shape_, vectors_, k, column);
}

void PackedGemmPlan::run(const float* a, const float* packed, float* c,
                         const GemmEpilogue& epilogue, const GemmRange& range) const noexcept {
  run_gemm_call(isa_, {shape_, vectors_, a, packed, c, epilogue, nullptr, range, false, true});
}

void column_sums(const float* matrix, int64_t m, int64_t n, int64_t row, float* out,
                 bool accumulate) noexcept {
  BROCH_KERNEL(column_sums)(matrix, m, n, row, out, accumulate);
}

}  // namespace broch::kernels
#endif
