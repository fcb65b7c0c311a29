// targets.hpp: the instruction sets that Highway compiles each source for, and the choice at run
// time. To be included before hwy/foreach_target.h. Highway's own choice lives in a shared library
// that an installed program could miss; ours also follows limit_isa().
#pragma once
#include "kernels/isa.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)

// The function f of the namespace of the given or the current instruction set.
#define BROCH_KERNEL_FOR(choice, f)                               \
  ((choice) == ::broch::kernels::Isa::avx512 ? HWY_CHOOSE_AVX3(f) \
   : (choice) == ::broch::kernels::Isa::avx2 ? HWY_CHOOSE_AVX2(f) \
                                             : &HWY_STATIC_DISPATCH(f))
#define BROCH_KERNEL(f) (*BROCH_KERNEL_FOR(::broch::kernels::isa(), f))
