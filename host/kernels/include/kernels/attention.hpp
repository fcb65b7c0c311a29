// attention.hpp: softmax(q k^T * scale) v for each batch and head, plain, causal or
// with a mask, and its gradients.
//
// Legend: B batches, H heads, T positions, D features of a head. Features are contiguous. The other
// strides are arbitrary, so that q, k and v may be parts of one packed projection, and so may dq,
// dk and dv.
// Rounding: exponentials are within 1 ulp, and sums are in another order than in LibTorch; only for
// level fast.
// Source: Vaswani et al. 2017; the backward pass from log sums as in Dao et al. 2022, appendix B.
#pragma once
#include <cstdint>

namespace broch::kernels {

// One of q, k, v, o and their gradients: element (b, h, t, d) at data[b * batch + h * head +
// t * position + d].
struct HeadsIn {
  const float* data = nullptr;
  int64_t batch = 0, head = 0, position = 0;
};
struct HeadsOut {
  float* data = nullptr;
  int64_t batch = 0, head = 0, position = 0;
};

struct Attention {
  int64_t batches = 0, heads = 0, positions = 0, features = 0;
  float scale = 1;
  bool causal = false;  // position i attends to positions 0..i
  // Added to the scores: (B, H, T, T), whose last dimension is contiguous. A query whose scores are
  // all -infinity attends to nothing.
  HeadsIn mask = {};
};

// The number of floats that each thread needs as scratch memory, for either pass. It is fastest if
// this memory is aligned to 64 bytes.
int64_t attention_scratch(const Attention& shape) noexcept;

// Computes the heads [begin, end) of the B * H heads; head h of batch b has the number b * H + h.
// Writes o and log_sums(B, H, T) = log(sum(exp(scores))), which is contiguous.
void attention(const Attention& shape, const HeadsIn& q, const HeadsIn& k, const HeadsIn& v,
               const HeadsOut& o, float* log_sums, int64_t begin, int64_t end,
               float* scratch) noexcept;

struct AttentionGradients {
  HeadsOut q, k, v;  // written completely; must not overlap an operand
};
void attention_backward(const Attention& shape, const HeadsIn& d_o, const HeadsIn& q,
                        const HeadsIn& k, const HeadsIn& v, const HeadsIn& o, const float* log_sums,
                        const AttentionGradients& gradients, int64_t begin, int64_t end,
                        float* scratch) noexcept;

}  // namespace broch::kernels
