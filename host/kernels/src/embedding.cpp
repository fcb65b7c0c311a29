// embedding.cpp: copies and adds rows of tables, and scatters their gradients.
#include "kernels/embedding.hpp"

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embedding.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// Rows of a large table are rarely in a cache, so they are prefetched this many indices in advance.
constexpr int64_t kAhead = 16;

HWY_INLINE void prefetch_ahead(const float* table, int64_t width, const int64_t* indices, int64_t i,
                               int64_t size) {
  if (i + kAhead < size) hwy::Prefetch(table + indices[i + kAhead] * width);
}

HWY_INLINE void add_row(const float* from, F scale, float* to, int64_t width) {
  sweep(width, [=](auto load, auto store, int64_t at)
                   HWY_ATTR { store(hn::MulAdd(load(from + at), scale, load(to + at)), to + at); });
}

void scatter_add_rows(const RowScatter& scatter, const float* d_out, float* gradient) {
  const F scale = set(scatter.scale);
  const int64_t width = scatter.width;
  for (int64_t i = 0; i < scatter.size; ++i, d_out += scatter.stride) {
    prefetch_ahead(gradient, width, scatter.indices, i, scatter.size);
    hwy::Prefetch(d_out + kAhead * scatter.stride);
    float* const to = gradient + scatter.indices[i] * width;
    sweep(width, [=](auto load, auto store, int64_t at) HWY_ATTR {
      const F from = hn::Add(load(d_out + at), hn::Zero(kFloats));
      store(hn::MulAdd(from, scale, load(to + at)), to + at);
    });
  }
}

HWY_INLINE int64_t end_of(const Bags& bags, int64_t bag) {
  return bag + 1 < bags.count ? bags.offsets[bag + 1] : bags.size;
}

void copy_rows(const Table& table, const Bags& bags, int64_t begin, int64_t end, float* out,
               int64_t stride) {
  for (int64_t i = begin; i < end; ++i, out += stride) {
    prefetch_ahead(table.data, table.width, bags.indices, i, bags.size);
    const float* const from = table.data + bags.indices[i] * table.width;
    sweep(table.width,
          [=](auto load, auto store, int64_t at) HWY_ATTR { store(load(from + at), out + at); });
  }
}

void embedding_bag(const Table& table, const Bags& bags, int64_t begin, int64_t end, float* out,
                   int64_t stride) {
  if (!bags.offsets) return copy_rows(table, bags, begin, end, out, stride);
  const int64_t width = table.width;
  for (int64_t bag = begin; bag < end; ++bag, out += stride) {
    const int64_t first = bags.offsets[bag], last = end_of(bags, bag), count = last - first;
    for (int64_t i = first; i < last; ++i) {
      prefetch_ahead(table.data, width, bags.indices, i, bags.size);
    }
    const F scale = set(bags.mean && count > 0 ? 1 / static_cast<float>(count) : 1);
    sweep(width, [=](auto load, auto store, int64_t at) HWY_ATTR {
      F sum = hn::Zero(kFloats);
      for (int64_t i = first; i < last; ++i) {
        sum = hn::Add(sum, load(table.data + bags.indices[i] * width + at));
      }
      store(hn::Mul(sum, scale), out + at);
    });
  }
}

// Calls body(place of an index, row of d_out, its factor) for each index except padding, in order.
template <class Body>
HWY_INLINE void for_each_row(const Bags& bags, const BagRows& d_out, const Body& body) {
  const float* from = d_out.data;
  for (int64_t bag = 0; bag < bags.count; ++bag, from += d_out.stride) {
    const int64_t first = bags.offsets ? bags.offsets[bag] : bag;
    const int64_t last = bags.offsets ? end_of(bags, bag) : bag + 1;
    const F share = set(bags.mean ? 1 / static_cast<float>(last - first) : 1);
    for (int64_t i = first; i < last; ++i) {
      if (bags.indices[i] != bags.padding) body(i, from, share);
    }
  }
}

void embedding_bag_backward(const Bags& bags, const BagRows& d_out, float* gradient) {
  for_each_row(bags, d_out, [&](int64_t i, const float* from, F share) HWY_ATTR {
    prefetch_ahead(gradient, d_out.width, bags.indices, i, bags.size);
    add_row(from, share, gradient + bags.indices[i] * d_out.width, d_out.width);
  });
}

HWY_INLINE void clear_row(float* row, int64_t width) {
  sweep(width, [=](auto, auto store, int64_t at) HWY_ATTR { store(hn::Zero(kFloats), row + at); });
}

// The first place of each index: a hash table of places.
class FirstPlaces {
 public:
  FirstPlaces(const int64_t* indices, int32_t* slots, int64_t count)
      : indices_(indices), slots_(slots), mask_(static_cast<uint64_t>(count) - 1) {
    for (int64_t i = 0; i < count; ++i) slots[i] = kFree;
  }
  // The first place of the index at place i, which may be i itself.
  HWY_INLINE int64_t of(int64_t i) {
    constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio (Fibonacci hashing)
    uint64_t slot = static_cast<uint64_t>(indices_[i]) * kGolden >> 32;
    for (;; ++slot) {
      int32_t& found = slots_[slot & mask_];
      if (found == kFree) return found = static_cast<int32_t>(i);
      const int32_t place = found < kFree ? twice(found) : found;
      if (indices_[place] != indices_[i]) continue;
      found < kFree ? void(thrice_ = true) : void(found = twice(place));
      return place;
    }
  }
  bool thrice() const { return thrice_; }

 private:
  static constexpr int32_t kFree = -1;
  static int32_t twice(int32_t place) { return -2 - place; }  // marks it; also undoes this
  const int64_t* indices_;
  int32_t* slots_;
  uint64_t mask_;
  bool thrice_ = false;
};

// Adds a row of d_out to the row at the first place of its index.
HWY_INLINE void merge_row(FirstPlaces& first, int64_t i, const float* from, F share, int64_t width,
                          const MergedRows& to) {
  const int64_t place = first.of(i);
  float* const here = to.data + i * to.stride;
  if (place != i) {
    add_row(from, share, to.data + place * to.stride, width);
    return clear_row(here, width);
  }
  if (here == from) return;
  sweep(width, [=](auto load, auto store, int64_t at) HWY_ATTR {
    store(hn::MulAdd(load(from + at), share, hn::Zero(kFloats)), here + at);
  });
}

HWY_INLINE void clear_padding(const Bags& bags, int64_t width, const MergedRows& to) {
  if (bags.padding < 0) return;
  for (int64_t i = 0; i < bags.size; ++i) {
    if (bags.indices[i] == bags.padding) clear_row(to.data + i * to.stride, width);
  }
}

void merge_rows(const Bags& bags, const BagRows& d_out, const MergedRows& to) {
  clear_padding(bags, d_out.width, to);
  FirstPlaces first(bags.indices, to.slots, slots_to_merge(bags.size));
  for_each_row(bags, d_out, [&](int64_t i, const float* from, F share) HWY_ATTR {
    merge_row(first, i, from, share, d_out.width, to);
  });
}

void merge_rows_in(const MergeOrder& order, const Bags& bags, const BagRows& d_out,
                   const MergedRows& to) {
  clear_padding(bags, d_out.width, to);
  FirstPlaces first(bags.indices, to.slots, slots_to_merge(bags.size));
  for (int64_t k = 0; k < bags.size; ++k) {
    const int64_t i = order.places[k], bag = order.bags[i];
    if (bags.indices[i] == bags.padding) continue;
    const int64_t size = bags.offsets ? end_of(bags, bag) - bags.offsets[bag] : 1;
    const F share = set(bags.mean ? 1 / static_cast<float>(size) : 1);
    merge_row(first, i, d_out.data + bag * d_out.stride, share, d_out.width, to);
  }
}

bool meets_thrice(const Bags& bags, int32_t* slots) {
  FirstPlaces first(bags.indices, slots, slots_to_merge(bags.size));
  for (int64_t i = 0; i < bags.size; ++i) first.of(i);
  return first.thrice();
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void scatter_add_rows(const RowScatter& scatter, const float* d_out, float* gradient) noexcept {
  BROCH_KERNEL(scatter_add_rows)(scatter, d_out, gradient);
}

int64_t slots_to_merge(int64_t size) noexcept {
  int64_t slots = 16;
  while (slots < 2 * size) slots *= 2;
  return slots;
}

// One subtraction for each bound; the signs are combined and checked once at the end.
bool are_valid(const Bags& bags, int64_t rows) noexcept {
  int64_t signs = 0;
  for (int64_t i = 0; i < bags.size; ++i) {
    signs |= bags.indices[i] | (rows - 1 - bags.indices[i]);
  }
  if (bags.offsets && bags.count > 0) {
    for (int64_t i = 1; i < bags.count; ++i) signs |= bags.offsets[i] - bags.offsets[i - 1];
    signs |= -bags.offsets[0] | bags.offsets[0] | (bags.size - bags.offsets[bags.count - 1]);
  }
  return signs >= 0;
}

void embedding_bag(const Table& table, const Bags& bags, int64_t begin, int64_t end, float* out,
                   int64_t stride) noexcept {
  BROCH_KERNEL(embedding_bag)(table, bags, begin, end, out, stride);
}

void embedding_bag_backward(const Bags& bags, const BagRows& d_out, float* gradient) noexcept {
  BROCH_KERNEL(embedding_bag_backward)(bags, d_out, gradient);
}

void merge_rows(const Bags& bags, const BagRows& d_out, const MergedRows& to) noexcept {
  BROCH_KERNEL(merge_rows)(bags, d_out, to);
}

void merge_rows_in(const MergeOrder& order, const Bags& bags, const BagRows& d_out,
                   const MergedRows& to) noexcept {
  BROCH_KERNEL(merge_rows_in)(order, bags, d_out, to);
}

bool meets_thrice(const Bags& bags, int32_t* slots) noexcept {
  return BROCH_KERNEL(meets_thrice)(bags, slots);
}

void bag_of_each(const Bags& bags, int64_t* to) noexcept {
  for (int64_t i = 0, bag = 0; i < bags.size; ++i) {
    while (bag + 1 < bags.count && (bags.offsets ? bags.offsets[bag + 1] : bag + 1) <= i) ++bag;
    to[i] = bag;
  }
}

}  // namespace broch::kernels
#endif
