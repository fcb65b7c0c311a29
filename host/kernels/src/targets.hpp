// targets.hpp: the instruction sets for which Highway compiles each source, and the choice at run
// time. Include it before hwy/foreach_target.h. Highway's own choice at run time is in a shared
// library, which an installed program might not find; this one also follows limit_isa().
#pragma once
#include "kernels/isa.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)

// The function f for the instruction set `choice`; BROCH_KERNEL uses the current one.
#define BROCH_KERNEL_FOR(choice, f)                               \
  ((choice) == ::broch::kernels::Isa::avx512 ? HWY_CHOOSE_AVX3(f) \
   : (choice) == ::broch::kernels::Isa::avx2 ? HWY_CHOOSE_AVX2(f) \
                                             : &HWY_STATIC_DISPATCH(f))
#define BROCH_KERNEL(f) (*BROCH_KERNEL_FOR(::broch::kernels::isa(), f))
