/* ext/rng.h: random numbers outside tower functions, where the operators draw.
 *
 * Nothing is advanced and nothing has to be saved: what is drawn is a function of the run's seed, the
 * rank, this instance's name (as seed of ext/instance.h is), of the stream and the index alone. A
 * stream is what an instance draws for, such as "crop" or "order"; the index is what it draws for this
 * time: the number of the data point, the round, the global step. Numbers of other streams and indices
 * have nothing to do with one another. A resumed run asks for the index it has come to, and gets the
 * numbers that a run without a break gets; a loader that skips data skips no draws.
 *
 * Philox 4x32-10 in counter mode: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC
 * 2011. The same numbers in every version. */
#ifndef BROCH_EXT_RNG_H
#define BROCH_EXT_RNG_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_RNG "broch.rng/1"

typedef struct broch_rng {
  uint32_t struct_size;
  uint32_t reserved;

  /* n words of 64 random bits. A call for fewer gives the first of them. [any] */
  broch_status (*bits)(const broch_host* host, const char* stream, uint64_t index,
                       uint64_t* words /* out */, uint64_t n);

  /* n numbers in [0, 1), multiples of 2^-53. [any] */
  broch_status (*uniform)(const broch_host* host, const char* stream, uint64_t index,
                          double* values /* out */, uint64_t n);

  /* n numbers with mean 0 and variance 1. The same bits wherever the C library's log, sin and cos
   * round alike. [any] */
  broch_status (*normal)(const broch_host* host, const char* stream, uint64_t index,
                         double* values /* out */, uint64_t n);

  /* n numbers in [0, bound), each as likely as another. bound: 1 or more. [any] */
  broch_status (*below)(const broch_host* host, const char* stream, uint64_t index, uint64_t bound,
                        uint64_t* values /* out */, uint64_t n);

  /* The numbers 0 to n - 1, each order as likely as another. [any] */
  broch_status (*permutation)(const broch_host* host, const char* stream, uint64_t index,
                              uint64_t* order /* out */, uint64_t n);
} broch_rng;

BROCH_C_END

#endif
