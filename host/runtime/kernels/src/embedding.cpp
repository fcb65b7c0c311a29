// embedding.cpp: gathers rows of tables and scatters their gradients.
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

// Rows of a large table are far away: ask for them this many indices ahead.
constexpr int64_t kAhead = 16;

HWY_INLINE void ask_ahead(const float* table, int64_t width, const int64_t* indices, int64_t i,
                          int64_t size) {
  if (i + kAhead < size) hwy::Prefetch(table + indices[i + kAhead] * width);
}

HWY_INLINE void add_row(const float* from, F scale, float* to, int64_t width) {
  sweep(width, [=](auto load, auto store, int64_t at)
                   HWY_ATTR { store(hn::MulAdd(load(from + at), scale, load(to + at)), to + at); });
}

void gather_rows(const Table& table, const int64_t* indices, int64_t size, float* out) {
  for (int64_t i = 0; i < size; ++i, out += table.width) {
    ask_ahead(table.data, table.width, indices, i, size);
    const float* const from = table.data + indices[i] * table.width;
    sweep(table.width,
          [=](auto load, auto store, int64_t at) HWY_ATTR { store(load(from + at), out + at); });
  }
}

void scatter_add_rows(const RowScatter& scatter, const float* d_out, float* gradient) {
  const F scale = set(scatter.scale);
  for (int64_t i = 0; i < scatter.size; ++i, d_out += scatter.width) {
    ask_ahead(gradient, scatter.width, scatter.indices, i, scatter.size);
    const int64_t row = scatter.indices[i];
    if (row != scatter.padding) {
      add_row(d_out, scale, gradient + row * scatter.width, scatter.width);
    }
  }
}

HWY_INLINE int64_t end_of(const Bags& bags, int64_t bag) {
  return bag + 1 < bags.count ? bags.offsets[bag + 1] : bags.size;
}

void embedding_bag(const Table& table, const Bags& bags, int64_t begin, int64_t end, float* out) {
  const int64_t width = table.width;
  for (int64_t bag = begin; bag < end; ++bag, out += width) {
    const int64_t first = bags.offsets[bag], last = end_of(bags, bag), count = last - first;
    for (int64_t i = first; i < last; ++i) {
      ask_ahead(table.data, width, bags.indices, i, bags.size);
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

void embedding_bag_backward(const Bags& bags, const float* d_out, int64_t width, float scale,
                            float* gradient) {
  for (int64_t bag = 0; bag < bags.count; ++bag, d_out += width) {
    const int64_t first = bags.offsets[bag], last = end_of(bags, bag);
    const F share = set(bags.mean ? scale / static_cast<float>(last - first) : scale);
    for (int64_t i = first; i < last; ++i) {
      ask_ahead(gradient, width, bags.indices, i, bags.size);
      add_row(d_out, share, gradient + bags.indices[i] * width, width);
    }
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void gather_rows(const Table& table, const int64_t* indices, int64_t size, float* out) noexcept {
  BROCH_KERNEL(gather_rows)(table, indices, size, out);
}

void scatter_add_rows(const RowScatter& scatter, const float* d_out, float* gradient) noexcept {
  BROCH_KERNEL(scatter_add_rows)(scatter, d_out, gradient);
}

void embedding_bag(const Table& table, const Bags& bags, int64_t begin, int64_t end,
                   float* out) noexcept {
  BROCH_KERNEL(embedding_bag)(table, bags, begin, end, out);
}

void embedding_bag_backward(const Bags& bags, const float* d_out, int64_t width, float scale,
                            float* gradient) noexcept {
  BROCH_KERNEL(embedding_bag_backward)(bags, d_out, width, scale, gradient);
}

}  // namespace broch::kernels
#endif
