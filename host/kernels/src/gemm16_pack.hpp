// gemm16_pack.hpp: matrices as pairs of bfloat16 in one 32-bit word: two elements that follow one
// another along k, the earlier one in the lower half. Needs AVX512-BF16.
//
// A pair is what one lane of vdpbf16ps multiplies. An odd k ends with a zero.
#pragma once
#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "kernels/gemm16.hpp"

namespace broch::kernels::bf16 {

constexpr int64_t kLanes = 16;

inline __mmask16 first(int64_t count) {
  return static_cast<__mmask16>(count >= kLanes ? 0xFFFF : (1U << std::max<int64_t>(count, 0)) - 1);
}

// 16 elements from `from` on as bfloat16, of which the first `count` exist; the others are zero.
template <Number number>
inline __m256i sixteen(const void* data, int64_t from, int64_t count) {
  if constexpr (number == Number::float32) {
    const __m512 values =
        _mm512_maskz_loadu_ps(first(count), static_cast<const float*>(data) + from);
    return (__m256i)_mm512_cvtneps_pbh(values);
  } else {
    return _mm256_maskz_loadu_epi16(first(count), static_cast<const uint16_t*>(data) + from);
  }
}

// A part of a matrix: k runs along the pairs, the other dimension is called `line`.
struct PairSource {
  const void* data;
  int64_t line_stride, k_stride;  // in elements
  int64_t lines, k;
};

// Where the pair (line, k / 2) is put: to[line * line_stride + k / 2 * pair_stride].
struct PairTarget {
  uint32_t* to;
  int64_t line_stride, pair_stride;
};

// Lines are contiguous, so a vector has one pair of each of 16 lines. `lines` is rounded up to
// whole vectors with zeros.
template <Number number>
inline void pack_lines(const PairSource& source, uint32_t* to, int64_t pair_stride) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  for (int64_t k = 0; k < source.k; k += 2, to += pair_stride) {
    const int64_t even = k * source.k_stride, odd = even + source.k_stride;
    for (int64_t line = 0; line < source.lines; line += kLanes) {
      const int64_t left = source.lines - line;
      const __m256i low = sixteen<number>(source.data, even + line, left);
      const __m256i high = sixteen<number>(source.data, odd + line, k + 1 < source.k ? left : 0);
      const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
      _mm512_storeu_si512(to + line, _mm512_permutexvar_epi16(order, both));
    }
  }
}

// 16 pairs along k of one line.
template <Number number>
inline __m512i pairs(const PairSource& source, int64_t line, int64_t k) {
  if (line >= source.lines) return _mm512_setzero_si512();
  const int64_t from = line * source.line_stride + k, left = source.k - k;
  const __m256i low = sixteen<number>(source.data, from, left);
  const __m256i high = left > kLanes ? sixteen<number>(source.data, from + kLanes, left - kLanes)
                                     : _mm256_setzero_si256();
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// k is contiguous, and so it stays: each line of pairs is written as a whole.
template <Number number>
inline void pack_along(const PairSource& source, uint32_t* to, int64_t line_stride) {
  for (int64_t line = 0; line < source.lines; ++line, to += line_stride)
    for (int64_t k = 0; k < source.k; k += 2 * kLanes) {
      const __mmask16 there = first((source.k - k + 1) / 2);
      _mm512_mask_storeu_epi32(to + k / 2, there, pairs<number>(source, line, k));
    }
}

// Rows become columns.
inline void transpose(__m512i* rows) {
  __m512i other[16];
  for (int i = 0; i < 16; i += 2) {
    other[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    other[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      rows[i + 2 * j] = _mm512_unpacklo_epi64(other[i + j], other[i + j + 2]);
      rows[i + 2 * j + 1] = _mm512_unpackhi_epi64(other[i + j], other[i + j + 2]);
    }
  for (int i = 0; i < 4; ++i) {
    other[i] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0x88);
    other[i + 4] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0xDD);
    other[i + 8] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0x88);
    other[i + 12] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0xDD);
  }
  for (int i = 0; i < 4; ++i) {
    rows[i] = _mm512_shuffle_i32x4(other[i], other[i + 8], 0x88);
    rows[i + 8] = _mm512_shuffle_i32x4(other[i], other[i + 8], 0xDD);
    rows[i + 4] = _mm512_shuffle_i32x4(other[i + 4], other[i + 12], 0x88);
    rows[i + 12] = _mm512_shuffle_i32x4(other[i + 4], other[i + 12], 0xDD);
  }
}

// k is contiguous in the source, lines are in the target, as pack_lines() writes them.
template <Number number>
inline void pack_transposed(const PairSource& source, uint32_t* to, int64_t pair_stride) {
  const int64_t count = (source.k + 1) / 2;
  for (int64_t line = 0; line < source.lines; line += kLanes)
    for (int64_t k = 0; k < source.k; k += 2 * kLanes) {
      __m512i rows[kLanes];
      for (int64_t i = 0; i < kLanes; ++i) rows[i] = pairs<number>(source, line + i, k);
      transpose(rows);
      const int64_t left = std::min<int64_t>(kLanes, count - k / 2);
      for (int64_t i = 0; i < left; ++i)
        _mm512_storeu_si512(to + (k / 2 + i) * pair_stride + line, rows[i]);
    }
}

}  // namespace broch::kernels::bf16
