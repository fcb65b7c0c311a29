/* ext/rng.h: random numbers outside tower functions; inside them, use operators.
 *
 * There is no generator whose state advances or has to be saved. The numbers are a function of the
 * seed of the run, the rank, the name of this instance (as seed in ext/instance.h), a stream and an
 * index. The stream names a purpose, such as "crop" or "order"; the index is the number of the data
 * point, the round or the global step that needs the numbers. Different streams and indices give
 * independent numbers. A resumed run asks for the index it has reached and gets the same numbers as
 * a run without interruption; a loader that skips data does not have to skip numbers.
 *
 * The generator is Philox 4x32-10 in counter mode: Salmon et al., "Parallel random numbers: as easy
 * as 1, 2, 3", SC 2011. It gives the same numbers in every version of Broch. */
#ifndef BROCH_EXT_RNG_H
#define BROCH_EXT_RNG_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_RNG "broch.rng/1"

typedef struct broch_host_rng {
  uint32_t struct_size;
  uint32_t reserved;

  /* n words of 64 random bits. A call with a smaller n gives the first of them. [any] */
  broch_status (*bits)(const broch_host* host, const char* stream, uint64_t index,
                       uint64_t* words /* out */, uint64_t n);

  /* n uniform numbers in [0, 1), multiples of 2^-53. [any] */
  broch_status (*uniform)(const broch_host* host, const char* stream, uint64_t index,
                          double* values /* out */, uint64_t n);

  /* n normally distributed numbers, with mean 0 and variance 1. The bits are the same on all
   * systems whose C library rounds log, sin and cos in the same way. [any] */
  broch_status (*normal)(const broch_host* host, const char* stream, uint64_t index,
                         double* values /* out */, uint64_t n);

  /* n uniform integers in [0, bound). bound is at least 1. [any] */
  broch_status (*below)(const broch_host* host, const char* stream, uint64_t index, uint64_t bound,
                        uint64_t* values /* out */, uint64_t n);

  /* A random permutation of the numbers 0 to n - 1, all equally likely. [any] */
  broch_status (*permutation)(const broch_host* host, const char* stream, uint64_t index,
                              uint64_t* order /* out */, uint64_t n);
} broch_host_rng;

BROCH_C_END

#endif
