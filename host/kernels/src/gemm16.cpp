// gemm16.cpp: products in register blocks, of which each instruction adds two products to each of
// 16 sums.
#include "kernels/gemm16.hpp"

#include <algorithm>
#include <array>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
// Functions of the standard library stand above, so that none of them is compiled for AVX-512.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")
// GCC 12 takes the undefined operands of its own intrinsics for mistakes (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include "gemm16_pack.hpp"

namespace broch::kernels::bf16 {
namespace {

// The depth and the height of one pass: then a panel of B fits the first cache, and A the second.
constexpr int64_t kDepth = 512, kHeight = 256;
// A block: 24 sums, two vectors of B and one pair of A fill the registers.
constexpr int kRows = 12, kVectors = 2;
constexpr int64_t kWidth = kVectors * kLanes;

// A block of C, and what happens to it.
struct Tile {
  const uint32_t* a;
  int64_t a_row, a_pair;
  const uint32_t* b;  // pairs of kWidth or kLanes columns
  int64_t pairs;
  float* sums;  // of earlier passes, and where those of this pass are kept; nullptr: neither
  int64_t sums_row;
  bool begins, ends;  // the first pass, the last one
  void* c;            // written in the last pass
  int64_t c_row, columns;
  const Gemm16Epilogue* epilogue;
  int64_t column;  // of C, for the bias
  Number number;   // of c
};

__m512 read(const void* data, int64_t at, __mmask16 mask, Number number) {
  if (number == Number::float32)
    return _mm512_maskz_loadu_ps(mask, static_cast<const float*>(data) + at);
  const __m256i half = _mm256_maskz_loadu_epi16(mask, static_cast<const uint16_t*>(data) + at);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

// A masked store is slow on AMD's processors.
void write(__m512 value, void* data, int64_t at, __mmask16 mask, Number number) {
  if (number == Number::float32) {
    float* const to = static_cast<float*>(data) + at;
    return mask == 0xFFFF ? _mm512_storeu_ps(to, value) : _mm512_mask_storeu_ps(to, mask, value);
  }
  auto* const to = static_cast<uint16_t*>(data) + at;
  const auto half = (__m256i)_mm512_cvtneps_pbh(value);
  if (mask == 0xFFFF)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), half);
  else
    _mm256_mask_storeu_epi16(to, mask, half);
}

// What becomes of one vector of sums.
void finish(const Tile& tile, __m512 sum, int64_t row, int64_t offset) {
  const __mmask16 mask = first(tile.columns - offset);
  float* const kept = tile.sums ? tile.sums + row * tile.sums_row + offset : nullptr;
  if (!tile.begins) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, kept));
  if (!tile.ends) return _mm512_mask_storeu_ps(kept, mask, sum);
  const int64_t at = row * tile.c_row + offset;
  if (tile.epilogue->bias)
    sum = _mm512_add_ps(
        sum, read(tile.epilogue->bias, tile.column + offset, mask, tile.epilogue->bias_number));
  write(sum, tile.c, at, mask, tile.number);
}

// C is rarely in a cache, and its lines have come when the sums are done.
template <int rows>
void prefetch(const Tile& tile) {
  const int64_t bytes = tile.number == Number::float32 ? 4 : 2;
  const auto last = (tile.columns - 1) * bytes;
  for (int r = 0; r < rows && tile.ends; ++r) {
    const char* const row = static_cast<const char*>(tile.c) + r * tile.c_row * bytes;
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + last, 1);
  }
}

// The same for whole vectors of float32 that need one pass, as most do.
bool is_plain(const Tile& tile) {
  return tile.begins && tile.ends && tile.number == Number::float32 && tile.columns % kLanes == 0;
}

template <bool has_bias, int rows, int vectors>
void finish_plainly(const Tile& tile, const __m512 (&sums)[rows][vectors]) {
  const Gemm16Epilogue& epilogue = *tile.epilogue;
  __m512 bias[vectors];
#pragma GCC unroll 16
  for (int v = 0; v < vectors && has_bias; ++v)
    bias[v] = read(epilogue.bias, tile.column + v * kLanes, 0xFFFF, epilogue.bias_number);
  float* const c = static_cast<float*>(tile.c);
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v)
      _mm512_storeu_ps(c + r * tile.c_row + v * kLanes,
                       has_bias ? _mm512_add_ps(sums[r][v], bias[v]) : sums[r][v]);
}

template <int rows, int vectors>
void block(const Tile& tile) {
  __m512 sums[rows][vectors];
#pragma GCC unroll 16
  for (auto& row : sums)
#pragma GCC unroll 16
    for (__m512& sum : row) sum = _mm512_setzero_ps();
  prefetch<rows>(tile);
  const uint32_t *a = tile.a, *b = tile.b;
  for (int64_t k = 0; k < tile.pairs; ++k, a += tile.a_pair, b += vectors * kLanes) {
    __m512bh factors[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) factors[v] = (__m512bh)_mm512_loadu_si512(b + v * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const auto pair = (__m512bh)_mm512_set1_epi32(static_cast<int>(a[r * tile.a_row]));
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], pair, factors[v]);
    }
  }
  if (is_plain(tile))
    return tile.epilogue->bias ? finish_plainly<true>(tile, sums)
                               : finish_plainly<false>(tile, sums);
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) finish(tile, sums[r][v], r, v * kLanes);
}

using Block = void (*)(const Tile&);

template <int vectors, int... rows>
constexpr std::array<Block, sizeof...(rows)> blocks(std::integer_sequence<int, rows...>) {
  return {&block<rows + 1, vectors>...};
}

Block block_for(int64_t rows, int64_t vectors) {
  static constexpr auto one = blocks<1>(std::make_integer_sequence<int, kRows>());
  static constexpr auto two = blocks<2>(std::make_integer_sequence<int, kRows>());
  return (vectors == 1 ? one : two)[static_cast<size_t>(rows - 1)];
}

// All rows of a pass with one panel of B, in blocks of nearly equal height.
void panel_rows(Tile tile, int64_t rows) {
  const int64_t vectors = (tile.columns + kLanes - 1) / kLanes;
  const int64_t count = (rows + kRows - 1) / kRows;
  const int64_t bytes = tile.number == Number::float32 ? 4 : 2;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t height = rows / count + (i < rows % count ? 1 : 0);
    block_for(height, vectors)(tile);
    tile.a += height * tile.a_row;
    if (tile.sums) tile.sums += height * tile.sums_row;
    tile.c = static_cast<char*>(tile.c) + height * tile.c_row * bytes;
  }
}

template <Number number>
void pack(const PairSource& source, uint32_t* to, int64_t pair_stride) {
  if (source.line_stride == 1 && source.k_stride != 1)
    pack_lines<number>(source, to, pair_stride);
  else
    pack_transposed<number>(source, to, pair_stride);
}

const void* moved(const void* data, int64_t elements, Number number) {
  return static_cast<const char*>(data) + elements * (number == Number::float32 ? 4 : 2);
}

int64_t rounded(int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// One call, with its scratch memory: a part of A, a panel of B, and sums between passes.
struct Product {
  const Gemm16Shape& shape;
  const void *a, *b;
  void* c;
  const Gemm16Epilogue& epilogue;
  GemmRange range;
  uint32_t *a_pairs, *b_pairs;
  float* sums;

  // Rows [row, row + rows) with [k, k + depth).
  void pass(int64_t row, int64_t rows, int64_t k, int64_t depth) const {
    const GemmShape& whole = shape.shape;
    Tile tile{};
    pack_a({moved(a, row * whole.a.row + k * whole.a.column, shape.a), whole.a.row, whole.a.column,
            rows, depth},
           tile);
    tile.b = b_pairs;
    tile.pairs = (depth + 1) / 2;
    tile.begins = k == 0;
    tile.ends = k + depth == whole.k;
    tile.c_row = whole.c_row;
    tile.epilogue = &epilogue;
    tile.number = shape.c;
    tile.sums_row = range.column_end - range.column_begin;
    for (int64_t column = range.column_begin; column < range.column_end; column += kWidth) {
      tile.column = column;
      tile.columns = std::min(kWidth, range.column_end - column);
      const PairSource source{moved(b, k * whole.b.row + column * whole.b.column, shape.b),
                              whole.b.column, whole.b.row, tile.columns, depth};
      (shape.b == Number::float32 ? pack<Number::float32>
                                  : pack<Number::bfloat16>)(source, b_pairs, rounded(tile.columns));
      tile.sums = tile.begins && tile.ends ? nullptr : sums + (column - range.column_begin);
      tile.c = const_cast<void*>(moved(c, row * whole.c_row + column, shape.c));
      panel_rows(tile, rows);
    }
  }

  // Rows that are contiguous stay so; those of a transposed matrix become pairs of rows.
  void pack_a(const PairSource& source, Tile& tile) const {
    tile.a = a_pairs;
    const bool is_float = shape.a == Number::float32;
    if (source.k_stride == 1) {
      tile.a_row = (source.k + 1) / 2;
      tile.a_pair = 1;
      (is_float ? pack_along<Number::float32> : pack_along<Number::bfloat16>)(source, a_pairs,
                                                                              tile.a_row);
    } else {
      tile.a_row = 1;
      tile.a_pair = rounded(source.lines);
      (is_float ? pack_lines<Number::float32> : pack_lines<Number::bfloat16>)(source, a_pairs,
                                                                              tile.a_pair);
    }
  }
};

constexpr int64_t kAPairs = kHeight * kDepth / 2, kBPairs = kWidth * kDepth / 2;

// Sums between passes need memory of their own.
int64_t kept_sums(const Gemm16Shape& shape) {
  return shape.shape.k > kDepth ? std::min(kHeight, shape.shape.m) * shape.shape.n : 0;
}

void run(const Product& product) {
  const GemmRange& range = product.range;
  for (int64_t row = range.row_begin; row < range.row_end; row += kHeight) {
    const int64_t rows = std::min(kHeight, range.row_end - row);
    int64_t k = 0;
    do {
      const int64_t depth = std::min(kDepth, product.shape.shape.k - k);
      product.pass(row, rows, k, depth);
      k += depth;
    } while (k < product.shape.shape.k);
  }
}

}  // namespace
}  // namespace broch::kernels::bf16
#pragma GCC pop_options
#endif

namespace broch::kernels {

#if defined(__x86_64__)
bool has_gemm16() noexcept {
  __builtin_cpu_init();
  return isa() == Isa::avx512 && __builtin_cpu_supports("avx512bf16");
}

int64_t Gemm16Plan::scratch_size() const noexcept {
  return bf16::kAPairs + bf16::kBPairs + bf16::kept_sums(shape_);
}

void Gemm16Plan::run(const void* a, const void* b, void* c, const Gemm16Epilogue& epilogue,
                     float* scratch, const GemmRange& range) const noexcept {
  auto* const pairs = reinterpret_cast<uint32_t*>(scratch);
  bf16::run({shape_, a, b, c, epilogue, range, pairs, pairs + bf16::kAPairs,
             scratch + bf16::kAPairs + bf16::kBPairs});
}
#else
bool has_gemm16() noexcept { return false; }
int64_t Gemm16Plan::scratch_size() const noexcept { return 0; }
void Gemm16Plan::run(const void*, const void*, void*, const Gemm16Epilogue&, float*,
                     const GemmRange&) const noexcept {}
#endif

}  // namespace broch::kernels
