// gemm_transpose-inl.hpp: writes C from its transpose, and applies the epilogue.
#if defined(BROCH_KERNELS_GEMM_TRANSPOSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_GEMM_TRANSPOSE_INL_HPP
#undef BROCH_KERNELS_GEMM_TRANSPOSE_INL_HPP
#else
#define BROCH_KERNELS_GEMM_TRANSPOSE_INL_HPP
#endif
#include "gemm_pack-inl.hpp"
#include "sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// Applies the epilogue to rows from `row` on, each one vector wide, and stores them.
template <int rows>
HWY_INLINE void finish_rows(const GemmCall& call, Sums<rows, 1> sums, int64_t row, int64_t column) {
  const int64_t left = call.range.column_end - column;
  SumsTile tile{call.c + row * call.shape.c_row + column, call.shape.c_row,
                left < lanes() ? left : lanes(), call.epilogue};
  if (tile.epilogue.bias) tile.epilogue.bias += column;
  if (tile.epilogue.gate) tile.epilogue.gate += row * tile.epilogue.gate_row + column;
  left < lanes() ? sums.finish(tile) : sums.template finish<true>(tile);
  sums.write(tile);
}

// Writes the rows [row, row + rows) of C, in the columns of the range. C^T (columns, width) begins
// with the range's first column.
HWY_INLINE void transpose_back(const GemmCall& call, const float* transpose, int64_t width,
                               int64_t row, int64_t rows) {
  const int64_t begin = call.range.column_begin, columns = call.range.column_end - begin;
  for (int64_t column = 0; column < columns; column += lanes()) {
    const float* from[HWY_MAX_BYTES / 4];
    for (int64_t i = 0; i < lanes(); ++i)
      from[i] = transpose + clamped(column + i, columns) * width;
    int64_t at = 0;
    for (; at + 4 <= rows; at += 4) {
      Sums<4, 1> sums;
      transpose_four(from, at, [&](int64_t i, F value) HWY_ATTR { sums.at[i][0] = value; });
      finish_rows(call, sums, row + at, begin + column);
    }
    for (; at < rows; ++at) {
      HWY_ALIGN float one[HWY_MAX_BYTES / 4];
      for (int64_t i = 0; i < lanes(); ++i) one[i] = from[i][at];
      finish_rows(call, Sums<1, 1>{{{hn::Load(kFloats, one)}}}, row + at, begin + column);
    }
  }
}
#endif

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
