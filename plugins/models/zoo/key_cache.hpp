// key_cache.hpp: keys and values of the tokens that a transformer has seen, so that a token behind
// them does not need them again. `broch predict --generate` passes on what is published.
#pragma once
#include <broch/layers.hpp>
#include <string>

namespace broch::zoo {

// Publishes, in inference, the state before the tokens of this call, state/NAME, and behind them,
// next/NAME. Nothing is fed before the first tokens; then the tensors state/NAME are empty, and
// this class costs nothing unless somebody asks for next/NAME.
class KeyCache {
 public:
  // tokens: int64 (N, T). context: the most tokens that can be seen together.
  KeyCache(Tower& t, const Tensor& tokens, int64_t context)
      : tower_(t), context_(context), count_(t.size(tokens, 1)) {
    if (t.is_training()) return;
    Ops& ops = t.ops();
    const Tensor before = t.publish("state/tokens", ops.zeros({0}, BROCH_INT64));
    has_seen_ = t.size(before, 0) > 0;
    if (!has_seen_) {
      t.publish("next/tokens", ops.full({1}, Scalar(count_), BROCH_INT64));
      return;
    }
    t.publish("next/tokens", before + Scalar(count_));
    positions_ = before + ops.arange(Scalar(count_), BROCH_INT64);
    mask_ = ops.le(ops.arange(Scalar(context_), BROCH_INT64), ops.unsqueeze(positions_, 1));
  }

  // Whether there were tokens before those of this call.
  bool has_seen() const { return has_seen_; }
  // If so: the places of the tokens, int64 (T), and which places each one sees, bool (T, context).
  const Tensor& positions() const { return positions_; }
  const Tensor& mask() const { return mask_; }

  // x: keys or values by head (N, heads, T, E). Returns those that the tokens see: x itself, or
  // (N, heads, context, E).
  Tensor with_earlier(const std::string& name, const Tensor& x) const {
    if (tower_.is_training()) return x;
    Ops& ops = tower_.ops();
    const std::vector<int64_t> shape = tower_.shape(x);
    const auto zeros = [&](int64_t count) {
      return ops.zeros({shape[0], shape[1], count, shape[3]}, tower_.dtype(x));
    };
    const Tensor before = tower_.publish("state/" + name, zeros(0));
    if (!has_seen_) {
      tower_.publish("next/" + name, ops.cat({x, zeros(context_ - count_)}, 2));
      return x;
    }
    const Tensor places = ops.expand(ops.reshape(positions_, {1, 1, count_, 1}), shape);
    return tower_.publish("next/" + name, ops.scatter(before, 2, places, x));
  }

 private:
  Tower& tower_;
  int64_t context_, count_;
  bool has_seen_ = false;
  Tensor positions_, mask_;
};

}  // namespace broch::zoo
