// gemm_pack-inl.hpp: copies a panel of B, so that each of its k rows consists of whole vectors.
#if defined(BROCH_KERNELS_GEMM_PACK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_GEMM_PACK_INL_HPP
#undef BROCH_KERNELS_GEMM_PACK_INL_HPP
#else
#define BROCH_KERNELS_GEMM_PACK_INL_HPP
#endif
#include "kernels/gemm.hpp"
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// If the panel is wider than the rest of B, the last column of B is repeated; results of the
// repeated columns are never stored.
HWY_INLINE int64_t clamped(int64_t column, int64_t columns) {
  return column < columns ? column : columns - 1;
}

HWY_INLINE void pack_elements(const float* b, Strides strides, int64_t k, int64_t k_end,
                              int64_t columns, int64_t width, float* to) {
  constexpr int64_t kFar = 1 << 26;  // 16 columns stay within 32 bits
  const hn::RebindToSigned<Floats> whole;
  const auto apart = hn::Set(whole, static_cast<int32_t>(strides.column));
  const auto offsets = hn::Mul(hn::Iota(whole, 0), apart);
  const int64_t gathered = strides.column < kFar ? columns / lanes() * lanes() : 0;
  for (; k < k_end; ++k) {
    const float* const row = b + k * strides.row;
    int64_t j = 0;
    for (; j < gathered; j += lanes()) {
      store(hn::GatherIndex(kFloats, row + j * strides.column, offsets), to + k * width + j);
    }
    for (; j < width; ++j) to[k * width + j] = row[clamped(j, columns) * strides.column];
  }
}

HWY_INLINE void pack_rows(const float* b, int64_t row, int64_t k_end, int64_t columns,
                          int64_t width, float* to) {
  for (int64_t k = 0; k < k_end; ++k, b += row, to += width) {
    sweep(columns, [=](auto load, auto, int64_t at) HWY_ATTR { store(load(b + at), to + at); });
  }
}

#if HWY_TARGET != HWY_SCALAR
// Four elements of every fourth column: at[0], at[4], at[8] and at[12], as far as the vector
// reaches.
HWY_INLINE hn::Vec<hn::Full128<float>> gathered(hn::Full128<float> four, const float* const* at,
                                                int64_t k) {
  return hn::LoadU(four, at[0] + k);
}
template <class D>
HWY_INLINE hn::Vec<D> gathered(D wide, const float* const* at, int64_t k) {
  const hn::Half<D> half;
  const auto low = gathered(half, at, k);
  return hn::Combine(wide, gathered(half, at + hn::Lanes(half), k), low);
}

// Transposes four elements of each column into four rows of one vector.
template <class Write>
HWY_INLINE void transpose_four(const float* const* columns, int64_t k, const Write& write) {
  const hn::RepartitionToWide<Floats> pairs;
  const F v0 = gathered(kFloats, columns, k), v1 = gathered(kFloats, columns + 1, k);
  const F v2 = gathered(kFloats, columns + 2, k), v3 = gathered(kFloats, columns + 3, k);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(kFloats, v0, v1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(kFloats, v2, v3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(kFloats, v0, v1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(kFloats, v2, v3));
  write(0, hn::BitCast(kFloats, hn::InterleaveLower(pairs, low01, low23)));
  write(1, hn::BitCast(kFloats, hn::InterleaveUpper(pairs, low01, low23)));
  write(2, hn::BitCast(kFloats, hn::InterleaveLower(pairs, high01, high23)));
  write(3, hn::BitCast(kFloats, hn::InterleaveUpper(pairs, high01, high23)));
}

// For columns of B that are contiguous in k.
HWY_INLINE void pack_columns(const float* b, Strides strides, int64_t k_end, int64_t columns,
                             int64_t width, float* to) {
  const int64_t step = lanes();
  for (int64_t j = 0; j < width; j += step) {
    const float* at[HWY_MAX_BYTES / 4];
    for (int64_t i = 0; i < step; ++i) at[i] = b + clamped(j + i, columns) * strides.column;
    for (int64_t k = 0; k + 4 <= k_end; k += 4) {
      transpose_four(
          at, k, [=](int64_t row, F value) HWY_ATTR { store(value, to + (k + row) * width + j); });
    }
  }
  pack_elements(b, strides, k_end / 4 * 4, k_end, columns, width, to);
}
#endif

inline void pack_panel(const float* b, Strides strides, int64_t k_end, int64_t columns, int vectors,
                       float* to) {
  const int64_t width = vectors * lanes();
  if (strides.column == 1) return pack_rows(b, strides.row, k_end, columns, width, to);
#if HWY_TARGET != HWY_SCALAR
  if (strides.row == 1) return pack_columns(b, strides, k_end, columns, width, to);
#endif
  pack_elements(b, strides, 0, k_end, columns, width, to);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
