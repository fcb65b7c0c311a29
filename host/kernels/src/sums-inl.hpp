// sums-inl.hpp: one block of sums of products, kept in registers until it is stored.
#if defined(BROCH_KERNELS_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_SUMS_INL_HPP
#undef BROCH_KERNELS_SUMS_INL_HPP
#else
#define BROCH_KERNELS_SUMS_INL_HPP
#endif
#include <hwy/cache_control.h>

#include "gemm_call.hpp"
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// The sums of one block. Only the last vector of a row may extend beyond the columns of C.
template <int rows, int vectors>
struct Sums {
  F at[rows][vectors];

  HWY_INLINE void clear(const SumsTile& tile) {
    const int64_t last = (vectors - 1) * lanes();
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) at[r][v] = hn::Zero(kFloats);
      hwy::Prefetch(tile.c + r * tile.c_row);
      if (vectors > 1) hwy::Prefetch(tile.c + r * tile.c_row + last);
    }
  }

  // Adds elements[0], elements[element_step], ... times the factors, of which there is one per
  // vector. `before` and `behind` rows are left out at the ends.
  template <int before = 0, int behind = 0>
  HWY_INLINE void add(const float* elements, int64_t element_step, const F* factors) {
#pragma GCC unroll 16
    for (int r = before; r < rows - behind; ++r) {
      const F element = set(elements[r * element_step]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) at[r][v] = hn::MulAdd(element, factors[v], at[r][v]);
    }
  }

  // The same with factors in contiguous memory.
  template <int before = 0, int behind = 0>
  HWY_INLINE void add_panel(const float* elements, int64_t element_step, const float* panel) {
    F factors[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) factors[v] = load(panel + v * lanes());
    add<before, behind>(elements, element_step, factors);
  }

  // Calls body(sum, row, offset, load), where load(p) reads the columns of this sum. `whole`: all
  // columns of the block are columns of C.
  template <bool whole, class Body>
  HWY_INLINE void each(int64_t columns, const Body& body) {
    const int64_t step = lanes(), last = (vectors - 1) * step;
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v + 1 < vectors; ++v) {
        body(at[r][v], r, v * step, [](const float* from) HWY_ATTR { return load(from); });
      }
      body(at[r][vectors - 1], r, last, [=](const float* from) HWY_ATTR {
        return whole ? load(from) : load_part(from, columns - last);
      });
    }
  }

  template <bool whole = false>
  HWY_INLINE void finish(const SumsTile& tile) {
    const GemmEpilogue& epilogue = tile.epilogue;
    if (epilogue.accumulate) {
      each<whole>(tile.columns, [&](F& sum, int row, int64_t offset, auto get) HWY_ATTR {
        sum = hn::Add(sum, get(tile.c + row * tile.c_row + offset));
      });
    }
    if (epilogue.bias) {
      each<whole>(tile.columns, [&](F& sum, int, int64_t offset, auto get)
                                    HWY_ATTR { sum = hn::Add(sum, get(epilogue.bias + offset)); });
    }
    if (epilogue.relu) {
      each<whole>(tile.columns, [](F& sum, int, int64_t, auto) HWY_ATTR {
        sum = hn::IfThenZeroElse(hn::Lt(sum, set(0)), sum);
      });
    }
    if (epilogue.gate) {
      each<whole>(tile.columns, [&](F& sum, int row, int64_t offset, auto get) HWY_ATTR {
        const F gate = get(epilogue.gate + row * epilogue.gate_row + offset);
        sum = hn::IfThenZeroElse(hn::Le(gate, set(0)), sum);
      });
    }
  }

  HWY_INLINE void write(const SumsTile& tile) const {
    const int64_t last = (vectors - 1) * lanes(), count = tile.columns - last;
    if (count == lanes()) {
      write_with(tile, [](F sum, float* to) HWY_ATTR { store(sum, to); });
    } else {
      write_with(tile, [=](F sum, float* to) HWY_ATTR { store_part(sum, to, count); });
    }
  }

 private:
  // store_last(sum, to) stores the last vector of a row.
  template <class Store>
  HWY_INLINE void write_with(const SumsTile& tile, const Store& store_last) const {
    const int64_t step = lanes();
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      float* const to = tile.c + r * tile.c_row;
#pragma GCC unroll 16
      for (int v = 0; v + 1 < vectors; ++v) store(at[r][v], to + v * step);
      store_last(at[r][vectors - 1], to + (vectors - 1) * step);
    }
  }
};

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
