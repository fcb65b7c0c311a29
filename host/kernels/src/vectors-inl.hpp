// vectors-inl.hpp: whole vectors, and parts of vectors for the ends of rows, for each instruction
// set.
#if defined(BROCH_KERNELS_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_VECTORS_INL_HPP
#undef BROCH_KERNELS_VECTORS_INL_HPP
#else
#define BROCH_KERNELS_VECTORS_INL_HPP
#endif
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using F = hn::Vec<Floats>;
constexpr Floats kFloats;
HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(kFloats)); }

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_SCALAR
constexpr bool kMasksMemory = true;  // a masked access never touches bytes outside its mask
#else
constexpr bool kMasksMemory = false;
#endif

HWY_INLINE F set(float value) { return hn::Set(kFloats, value); }
HWY_INLINE F load(const float* from) { return hn::LoadU(kFloats, from); }
HWY_INLINE void store(F value, float* to) { hn::StoreU(value, kFloats, to); }

// Loads the first `count` lanes; the others are zero. 0 < count <= lanes().
HWY_INLINE F load_part(const float* from, int64_t count) {
  if constexpr (kMasksMemory) {
    return hn::MaskedLoad(hn::FirstN(kFloats, static_cast<size_t>(count)), kFloats, from);
  } else {
    HWY_ALIGN float part[HWY_MAX_BYTES / 4] = {};
    for (int64_t i = 0; i < count; ++i) part[i] = from[i];
    return hn::Load(kFloats, part);
  }
}

// Stores the first `count` lanes; 0 < count <= lanes(). Whole vectors, and all with AVX2, are
// stored without a mask, because a masked store takes tens of cycles on AMD's processors.
HWY_INLINE void store_part(F value, float* to, int64_t count) {
  if (count == lanes()) return store(value, to);
#if HWY_TARGET == HWY_AVX2
  const hn::Half<Floats> four;
  const hn::Half<decltype(four)> two;
  auto part = hn::LowerHalf(four, value);
  if (count & 4) {
    hn::StoreU(part, four, to);
    part = hn::UpperHalf(four, value);
    to += 4;
  }
  auto pair = hn::LowerHalf(two, part);
  if (count & 2) {
    hn::StoreU(pair, two, to);
    pair = hn::UpperHalf(two, part);
    to += 2;
  }
  if (count & 1) *to = hn::GetLane(pair);
  return;
#endif
  if constexpr (kMasksMemory) {
    hn::BlendedStore(value, hn::FirstN(kFloats, static_cast<size_t>(count)), kFloats, to);
  } else {
    HWY_ALIGN float part[HWY_MAX_BYTES / 4];
    hn::Store(value, kFloats, part);
    for (int64_t i = 0; i < count; ++i) to[i] = part[i];
  }
}

// Calls body(load, store, offset) for each vector of [0, size). load(p) and store(v, p) process
// whole vectors, and at the end the part that is left.
template <class Body>
HWY_INLINE void sweep(int64_t size, const Body& body) {
  const int64_t step = lanes();
  int64_t at = 0;
  for (; at + step <= size; at += step) {
    body([](const float* from) HWY_ATTR { return load(from); },
         [](F value, float* to) HWY_ATTR { store(value, to); }, at);
  }
  if (const int64_t rest = size - at; rest > 0) {
    body([rest](const float* from) HWY_ATTR { return load_part(from, rest); },
         [rest](F value, float* to) HWY_ATTR { store_part(value, to, rest); }, at);
  }
}

// True if one is NaN, as in C; Highway's Ne is false then.
HWY_INLINE hn::Mask<Floats> unequal(F a, F b) { return hn::Not(hn::Eq(a, b)); }

HWY_INLINE float sum_of(F value) { return hn::GetLane(hn::SumOfLanes(kFloats, value)); }
HWY_INLINE float max_of(F value) { return hn::GetLane(hn::MaxOfLanes(kFloats, value)); }

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
