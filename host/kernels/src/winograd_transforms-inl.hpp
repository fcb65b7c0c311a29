// winograd_transforms-inl.hpp: the transforms of tiles of 2 x 2 and 4 x 4 pixels, along one edge.
//
// All evaluate and interpolate polynomials (Toom and Cook) at 0, at points p and -p, and at
// infinity. `read` is B^T in the source that winograd.hpp names, `weights` G and `sums` A^T of a
// result; `gradients` G and `taps` A^T of a gradient of weights. Results are written `step` apart.
#if defined(BROCH_KERNELS_WINOGRAD_TRANSFORMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_WINOGRAD_TRANSFORMS_INL_HPP
#undef BROCH_KERNELS_WINOGRAD_TRANSFORMS_INL_HPP
#else
#define BROCH_KERNELS_WINOGRAD_TRANSFORMS_INL_HPP
#endif
#include "vectors-inl.hpp"
#include "winograd_tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE F sum_and(F a, float factor, F b) { return hn::MulAdd(set(factor), b, a); }

// Tiles of 2 x 2: the points 0, 1 and -1.
struct TwoByTwo {
  static constexpr int kEdge = 2, kReach = 4;

  static HWY_INLINE void read(const F* d, F* to, int step) {
    to[0] = hn::Sub(d[0], d[2]);
    to[step] = hn::Add(d[1], d[2]);
    to[2 * step] = hn::Sub(d[2], d[1]);
    to[3 * step] = hn::Sub(d[1], d[3]);
  }
  static HWY_INLINE void weights(const F* g, F* to, int step) {
    pair(g[0], hn::Mul(set(0.5F), hn::Add(g[0], g[2])), hn::Mul(set(0.5F), g[1]), g[2], to, step);
  }
  static HWY_INLINE void sums(const F* m, F* to, int step) {
    to[0] = hn::Add(hn::Add(m[0], m[1]), m[2]);
    to[step] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
  }
  static HWY_INLINE void gradients(const F* r, F* to, int step) {
    pair(r[0], hn::Mul(set(0.5F), r[0]), hn::Mul(set(0.5F), r[1]), r[1], to, step);
  }
  static HWY_INLINE void taps(const F* m, F* to, int step) {
    const F both = hn::Add(m[1], m[2]);
    to[0] = hn::Add(m[0], both);
    to[step] = hn::Sub(m[1], m[2]);
    to[2 * step] = hn::Sub(both, m[3]);
  }

 private:
  static HWY_INLINE void pair(F first, F even, F odd, F last, F* to, int step) {
    to[0] = first;
    to[step] = hn::Add(even, odd);
    to[2 * step] = hn::Sub(even, odd);
    to[3 * step] = last;
  }
};

// Tiles of 4 x 4: the points 0, 3/4, -3/4, 3/2 and -3/2. Those of the source, 1 and 2, are simpler,
// but errors are twice as large.
struct FourByFour {
  static constexpr int kEdge = 4, kReach = 6;

  static HWY_INLINE void read(const F* d, F* to, int step) {
    to[0] = ends(d[0], d[2], d[4]);
    points(sum_and(d[4], -kFar2, d[2]), sum_and(d[3], -kFar2, d[1]), kNear, to + step, step);
    points(sum_and(d[4], -kNear2, d[2]), sum_and(d[3], -kNear2, d[1]), kFar, to + 3 * step, step);
    to[5 * step] = ends(d[1], d[3], d[5]);
  }
  static HWY_INLINE void weights(const F* g, F* to, int step) {
    to[0] = hn::Mul(set(kAtZero), g[0]);
    points(at(kAtNear, g[0], kNear2, g[2]), hn::Mul(set(kAtNear), g[1]), kNear, to + step, step);
    points(at(kAtFar, g[0], kFar2, g[2]), hn::Mul(set(kAtFar), g[1]), kFar, to + 3 * step, step);
    to[5 * step] = g[2];
  }
  static HWY_INLINE void sums(const F* m, F* to, int step) {
    const F near = hn::Add(m[1], m[2]), near_odd = hn::Mul(set(kNear), hn::Sub(m[1], m[2]));
    const F far = hn::Add(m[3], m[4]), far_odd = hn::Mul(set(kFar), hn::Sub(m[3], m[4]));
    to[0] = hn::Add(m[0], hn::Add(near, far));
    to[step] = hn::Add(near_odd, far_odd);
    to[2 * step] = at(kNear2, near, kFar2 / kNear2, far);
    to[3 * step] = hn::Add(at(kNear2, near_odd, kFar2 / kNear2, far_odd), m[5]);
  }
  static HWY_INLINE void gradients(const F* r, F* to, int step) {
    to[0] = hn::Mul(set(kAtZero), r[0]);
    points(at(kAtNear, r[0], kNear2, r[2]), at(kAtNear, r[1], kNear2, r[3]), kNear, to + step,
           step);
    points(at(kAtFar, r[0], kFar2, r[2]), at(kAtFar, r[1], kFar2, r[3]), kFar, to + 3 * step, step);
    to[5 * step] = r[3];
  }
  static HWY_INLINE void taps(const F* m, F* to, int step) {
    const F near = hn::Add(m[1], m[2]), far = hn::Add(m[3], m[4]);
    to[0] = hn::Add(m[0], hn::Add(near, far));
    to[step] = at(kNear, hn::Sub(m[1], m[2]), kFar / kNear, hn::Sub(m[3], m[4]));
    to[2 * step] = hn::Add(at(kNear2, near, kFar2 / kNear2, far), m[5]);
  }

 private:
  static constexpr float kNear = 0.75F, kNear2 = kNear * kNear, kFar = 1.5F, kFar2 = kFar * kFar;
  // 1 / product of the distances from one point to the others.
  static constexpr float kAtZero = 1 / (kNear2 * kFar2);
  static constexpr float kAtNear = 1 / (2 * kNear2 * (kNear2 - kFar2));
  static constexpr float kAtFar = 1 / (2 * kFar2 * (kFar2 - kNear2));

  // (x^2 - near^2) (x^2 - far^2), whose coefficients are applied to a, b and c.
  static HWY_INLINE F ends(F a, F b, F c) {
    return sum_and(sum_and(c, -(kNear2 + kFar2), b), kNear2 * kFar2, a);
  }
  // factor (a + square b)
  static HWY_INLINE F at(float factor, F a, float square, F b) {
    return hn::Mul(set(factor), sum_and(a, square, b));
  }
  // The values at a point and at its negative.
  static HWY_INLINE void points(F even, F odd, float point, F* to, int step) {
    to[0] = sum_and(even, point, odd);
    to[step] = sum_and(even, -point, odd);
  }
};

// Transforms the rows of a tile, kLength numbers each, that are transformed along the other edge
// already, and writes each place `step` floats after the one before.
template <class Method, int kLength, class Transform>
HWY_INLINE void store_rows(const F* half, const Transform& transform, float* to, int64_t step) {
  constexpr int kReach = Method::kReach;
#pragma GCC unroll 6
  for (int i = 0; i < kReach; ++i) {
    F row[kReach];
    transform(half + i * kLength, row);
#pragma GCC unroll 6
    for (int j = 0; j < kReach; ++j) store(row[j], to + (i * kReach + j) * step);
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
