/* draws.h: random numbers from a seed, for transforms. Functions without state outside the struct,
 * so they can be used on any thread.
 *
 *   broch_draws draws = broch_draws_of(seed);
 *   const int flip = broch_draw_below(&draws, 2) == 1;
 *
 * The generator is SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014. It gives the same numbers in every version of Broch. */
#ifndef BROCH_DRAWS_H
#define BROCH_DRAWS_H

#include <math.h>
#include <stdint.h>

#include "export.h"

BROCH_C_BEGIN

typedef struct broch_draws {
  uint64_t state;
} broch_draws;

static inline broch_draws broch_draws_of(uint64_t seed) {
  broch_draws draws;
  draws.state = seed;
  return draws;
}

/* 64 random bits. */
static inline uint64_t broch_draw_bits(broch_draws* draws) {
  uint64_t x = draws->state += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

/* A hash of two numbers, such as the key of a point and the number of a copy. */
static inline uint64_t broch_mixed(uint64_t a, uint64_t b) {
  broch_draws inner = broch_draws_of(b);
  broch_draws outer = broch_draws_of(a ^ broch_draw_bits(&inner));
  return broch_draw_bits(&outer);
}

/* A uniform number in [0, 1), a multiple of 2^-53. */
static inline double broch_draw_uniform(broch_draws* draws) {
  return (double)(broch_draw_bits(draws) >> 11) * 0x1p-53;
}

/* A uniform number in [low, high). */
static inline double broch_draw_between(broch_draws* draws, double low, double high) {
  return low + (high - low) * broch_draw_uniform(draws);
}

/* A uniform integer in [0, bound); bound is at least 1. Bits that would favor some results are
 * drawn again. */
static inline uint64_t broch_draw_below(broch_draws* draws, uint64_t bound) {
  const uint64_t whole = UINT64_MAX - UINT64_MAX % bound;
  uint64_t bits = broch_draw_bits(draws);
  while (bits >= whole) bits = broch_draw_bits(draws);
  return bits % bound;
}

/* A normally distributed number, with mean 0 and variance 1. The bits are the same on all systems
 * whose C library rounds log, sqrt and cos in the same way. Source: Box and Muller, 1958. */
static inline double broch_draw_normal(broch_draws* draws) {
  const double radius = sqrt(-2 * log(1 - broch_draw_uniform(draws)));
  return radius * cos(6.283185307179586476925 * broch_draw_uniform(draws));
}

BROCH_C_END

#endif
