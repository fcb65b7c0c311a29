// attention.cpp: attention for one block of queries at a time, so that the scores stay in the
// caches.
#include "kernels/attention.hpp"

#include <cmath>
#include <limits>

#include "kernels/gemm.hpp"
#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exp-inl.hpp"
#include "gemm_call.hpp"
#include "vectors-inl.hpp"

#ifndef BROCH_KERNELS_ATTENTION_PARTS
#define BROCH_KERNELS_ATTENTION_PARTS
namespace broch::kernels {

// The number of queries in a block.
constexpr int64_t kQueries = 32;

// The scratch memory for one head: k and v transposed, the scores of a block and their gradients,
// and the scratch memory of the matrix products.
struct AttentionScratch {
  int64_t padded;  // positions, rounded up to cache lines of 16 floats
  float *k, *v, *scores, *gradients, *products;

  static int64_t padded_positions(const Attention& shape) {
    return (shape.positions + 15) / 16 * 16;
  }
  AttentionScratch(const Attention& shape, float* from)
      : padded(padded_positions(shape)),
        k(from),
        v(k + padded * shape.features),
        scores(v + padded * shape.features),
        gradients(scores + kQueries * padded),
        products(gradients + kQueries * padded) {}
};

struct AttentionCall {
  Attention shape;
  HeadsIn d_o, q, k, v, o;
  HeadsOut out;
  AttentionGradients gradients;
  float* log_sums;
  int64_t begin, end;
  float* scratch;
};

template <class Heads>
auto* head_of(const Heads& heads, const Attention& shape, int64_t number) {
  return heads.data + number / shape.heads * heads.batch + number % shape.heads * heads.head;
}

// A matrix product without a plan, since the shapes change from block to block.
inline void product(Isa isa, const GemmShape& shape, const float* a, const float* b, float* c,
                    bool accumulate, float* scratch) {
  GemmEpilogue epilogue;
  epilogue.accumulate = accumulate;
  const int vectors = isa == Isa::avx512 ? 4 : 2;  // the fastest panel width
  run_gemm_call(isa, {shape, vectors, a, b, c, epilogue, scratch, {0, shape.m, 0, shape.n}});
}

}  // namespace broch::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3
constexpr Isa kIsa = Isa::avx512;
#elif HWY_TARGET == HWY_AVX2
constexpr Isa kIsa = Isa::avx2;
#else
constexpr Isa kIsa = Isa::generic;
#endif

HWY_INLINE void clear(float* from, const float* end) {
  for (; from < end; ++from) *from = 0;
}

HWY_INLINE bool has_nan(const float* values, int64_t size) {
  for (int64_t i = 0; i < size; ++i)
    if (std::isnan(values[i])) return true;
  return false;
}

// Turns the scores of one query over `size` keys into probabilities, in place. Returns their log
// sum. mask: what is added to the scores, or null.
HWY_INLINE float normalize(float* scores, int64_t size, float scale, const float* mask) {
  if (mask) {
    sweep(size, [=](auto load, auto store, int64_t at) HWY_ATTR {
      store(hn::MulAdd(load(scores + at), set(scale), load(mask + at)), scores + at);
    });
    scale = 1;
  }
  const F factor = set(scale);
  const int64_t whole = size / lanes() * lanes(), rest = size - whole;
  F largest = set(-HUGE_VALF);
  for (int64_t at = 0; at < whole; at += lanes()) {
    const F score = hn::Mul(load(scores + at), factor);
    largest = hn::Max(score, largest);
    store(score, scores + at);
  }
  float top = max_of(largest);
  for (int64_t at = whole; at < size; ++at) {
    scores[at] *= scale;
    top = scores[at] > top ? scores[at] : top;
  }
  if (top == -HUGE_VALF) {
    if (!has_nan(scores, size)) {
      clear(scores, scores + size);
      return 0;  // then the exponentials are 0 in the backward pass, too
    }
    top = std::numeric_limits<float>::quiet_NaN();  // the maxima leave NaN out
  }
  const F shift = set(top);
  F sums = hn::Zero(kFloats);
  for (int64_t at = 0; at < whole; at += lanes()) {
    const F power = exp_of(hn::Sub(load(scores + at), shift));
    sums = hn::Add(sums, power);
    store(power, scores + at);
  }
  if (rest > 0) {
    const F power = exp_of(hn::Sub(load_part(scores + whole, rest), shift));
    const auto inside = hn::FirstN(kFloats, static_cast<size_t>(rest));
    sums = hn::Add(sums, hn::IfThenElseZero(inside, power));
    store_part(power, scores + whole, rest);
  }
  const float sum = sum_of(sums);
  const F share = set(1 / sum);
  sweep(size, [=](auto load, auto store, int64_t at)
                  HWY_ATTR { store(hn::Mul(load(scores + at), share), scores + at); });
  return top + std::log(sum);
}

// What is added to the scores of a query, or null.
HWY_INLINE const float* mask_of(const Attention& shape, int64_t number, int64_t query) {
  return shape.mask.data ? head_of(shape.mask, shape, number) + query * shape.mask.position
                         : nullptr;
}

// to(features, padded) = the transpose of (positions, features) of one head.
void transpose_head(const float* from, int64_t position, const Attention& shape, int64_t padded,
                    float* to) {
  constexpr int64_t kTile = 16;  // one cache line
  for (int64_t t = 0; t < shape.positions; t += kTile) {
    const int64_t end = t + kTile < shape.positions ? t + kTile : shape.positions;
    for (int64_t d = 0; d < shape.features; ++d) {
      for (int64_t i = t; i < end; ++i) to[d * padded + i] = from[i * position + d];
    }
  }
}

// The number of keys that a block of queries ending before query_end attends to.
HWY_INLINE int64_t keys_of(const Attention& shape, int64_t query_end) {
  return shape.causal ? query_end : shape.positions;
}

void forward_head(const AttentionCall& call, int64_t number) {
  const Attention& shape = call.shape;
  const AttentionScratch scratch(shape, call.scratch);
  const int64_t D = shape.features, row = scratch.padded;
  transpose_head(head_of(call.k, shape, number), call.k.position, shape, row, scratch.k);
  for (int64_t query = 0; query < shape.positions; query += kQueries) {
    const int64_t left = shape.positions - query, rows = left < kQueries ? left : kQueries;
    const int64_t keys = keys_of(shape, query + rows);
    product(kIsa, {rows, keys, D, {call.q.position, 1}, {row, 1}, row},
            head_of(call.q, shape, number) + query * call.q.position, scratch.k, scratch.scores,
            false, scratch.products);
    for (int64_t i = 0; i < rows; ++i) {
      float* const scores = scratch.scores + i * row;
      const int64_t seen = keys_of(shape, query + i + 1);
      call.log_sums[number * shape.positions + query + i] =
          normalize(scores, seen, shape.scale, mask_of(shape, number, query + i));
      clear(scores + seen, scores + keys);
    }
    product(kIsa, {rows, D, keys, {row, 1}, {call.v.position, 1}, call.out.position},
            scratch.scores, head_of(call.v, shape, number),
            head_of(call.out, shape, number) + query * call.out.position, false, scratch.products);
  }
}

HWY_INLINE float dot(const float* a, const float* b, int64_t size) {
  F sums = hn::Zero(kFloats);
  sweep(size, [&](auto load, auto, int64_t at)
                  HWY_ATTR { sums = hn::MulAdd(load(a + at), load(b + at), sums); });
  return sum_of(sums);
}

// Turns scores into probabilities, and the gradients of probabilities into those of scores, in
// place.
void score_gradients(const AttentionCall& call, int64_t number, int64_t query, int64_t rows,
                     int64_t keys, const AttentionScratch& scratch) {
  const Attention& shape = call.shape;
  const float* const d_o = head_of(call.d_o, shape, number);
  const float* const o = head_of(call.o, shape, number);
  const F scale = set(shape.scale);
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t t = query + i, seen = keys_of(shape, t + 1);
    float* const scores = scratch.scores + i * scratch.padded;
    float* const gradients = scratch.gradients + i * scratch.padded;
    const F log_sum = set(call.log_sums[number * shape.positions + t]);
    const F mean = set(dot(d_o + t * call.d_o.position, o + t * call.o.position, shape.features));
    const float* const mask = mask_of(shape, number, t);
    sweep(seen, [=](auto load, auto store, int64_t at) HWY_ATTR {
      const F shift = mask ? hn::Sub(load(mask + at), log_sum) : hn::Neg(log_sum);
      const F share = exp_of(hn::MulAdd(load(scores + at), scale, shift));
      const F change = hn::Mul(hn::Mul(share, scale), hn::Sub(load(gradients + at), mean));
      store(share, scores + at);
      store(change, gradients + at);
    });
    clear(scores + seen, scores + keys);
    clear(gradients + seen, gradients + keys);
  }
}

void backward_head(const AttentionCall& call, int64_t number) {
  const Attention& shape = call.shape;
  const AttentionScratch scratch(shape, call.scratch);
  const AttentionGradients& to = call.gradients;
  const int64_t D = shape.features, row = scratch.padded;
  const float* const k = head_of(call.k, shape, number);
  float* const dk = head_of(to.k, shape, number);
  float* const dv = head_of(to.v, shape, number);
  transpose_head(k, call.k.position, shape, row, scratch.k);
  transpose_head(head_of(call.v, shape, number), call.v.position, shape, row, scratch.v);
  // Starts with the last block. It attends to all keys, so it writes all of dk and dv; the other
  // blocks add to them.
  const int64_t blocks = (shape.positions + kQueries - 1) / kQueries;
  for (int64_t block = blocks - 1; block >= 0; --block) {
    const int64_t query = block * kQueries, left = shape.positions - query;
    const int64_t rows = left < kQueries ? left : kQueries, keys = keys_of(shape, query + rows);
    const bool add = block < blocks - 1;
    const float* const q = head_of(call.q, shape, number) + query * call.q.position;
    const float* const d_o = head_of(call.d_o, shape, number) + query * call.d_o.position;
    product(kIsa, {rows, keys, D, {call.q.position, 1}, {row, 1}, row}, q, scratch.k,
            scratch.scores, false, scratch.products);
    product(kIsa, {rows, keys, D, {call.d_o.position, 1}, {row, 1}, row}, d_o, scratch.v,
            scratch.gradients, false, scratch.products);
    score_gradients(call, number, query, rows, keys, scratch);
    product(kIsa, {keys, D, rows, {1, row}, {call.d_o.position, 1}, to.v.position}, scratch.scores,
            d_o, dv, add, scratch.products);
    product(kIsa, {keys, D, rows, {1, row}, {call.q.position, 1}, to.k.position}, scratch.gradients,
            q, dk, add, scratch.products);
    product(kIsa, {rows, D, keys, {row, 1}, {call.k.position, 1}, to.q.position}, scratch.gradients,
            k, head_of(to.q, shape, number) + query * to.q.position, false, scratch.products);
  }
}

void attention(const AttentionCall& call) {
  for (int64_t number = call.begin; number < call.end; ++number) forward_head(call, number);
}

void attention_backward(const AttentionCall& call) {
  for (int64_t number = call.begin; number < call.end; ++number) backward_head(call, number);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

int64_t attention_scratch(const Attention& shape) noexcept {
  const int64_t padded = AttentionScratch::padded_positions(shape);
  const int64_t longest = shape.features > padded ? shape.features : padded;
  return 2 * padded * (shape.features + kQueries) + gemm_panel_size(longest);
}

void attention(const Attention& shape, const HeadsIn& q, const HeadsIn& k, const HeadsIn& v,
               const HeadsOut& o, float* log_sums, int64_t begin, int64_t end,
               float* scratch) noexcept {
  BROCH_KERNEL(attention)({shape, {}, q, k, v, {}, o, {}, log_sums, begin, end, scratch});
}

void attention_backward(const Attention& shape, const HeadsIn& d_o, const HeadsIn& q,
                        const HeadsIn& k, const HeadsIn& v, const HeadsIn& o, const float* log_sums,
                        const AttentionGradients& gradients, int64_t begin, int64_t end,
                        float* scratch) noexcept {
  BROCH_KERNEL(attention_backward)
  ({shape, d_o, q, k, v, o, {}, gradients, const_cast<float*>(log_sums), begin, end, scratch});
}

}  // namespace broch::kernels
#endif
