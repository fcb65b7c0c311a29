/* cart_pole.h: a pole on a cart that is pushed to the left or to the right. Angles are in radians,
 * lengths in metres, times in seconds. Source: Barto, Sutton and Anderson, Neuronlike adaptive
 * elements that can solve difficult learning control problems, 1983. */
#ifndef CART_POLE_H
#define CART_POLE_H

#include <math.h>
#include <stdint.h>

enum { CART_POLE_STATE = 4 };

typedef struct cart_pole {
  double state[CART_POLE_STATE]; /* position and speed of the cart, angle and its speed */
} cart_pole;

static inline int cart_pole_is_up(const cart_pole* pole) {
  return fabs(pole->state[0]) <= 2.4 && fabs(pole->state[2]) <= 12 * 3.14159265358979 / 180;
}

/* Advances by 0.02 s. force: in newtons, positive in the direction of growing position. */
static inline void cart_pole_push(cart_pole* pole, double force) {
  const double gravity = 9.8, cart = 1.0, mass = 0.1, half_length = 0.5, tau = 0.02;
  const double total = cart + mass, moment = mass * half_length;
  double* s = pole->state;
  const double sine = sin(s[2]), cosine = cos(s[2]);
  const double shared = (force + moment * s[3] * s[3] * sine) / total;
  const double turn = (gravity * sine - cosine * shared) /
                      (half_length * (4.0 / 3.0 - mass * cosine * cosine / total));
  const double pull = shared - moment * turn * cosine / total;
  s[0] += tau * s[1];
  s[1] += tau * pull;
  s[2] += tau * s[3];
  s[3] += tau * turn;
}

/* A generator whose n-th number depends only on the initial state and n. Source: Steele, Lea and
 * Flood, Fast splittable pseudorandom number generators, 2014. */
typedef struct draws {
  uint64_t state;
} draws;

static inline uint64_t draw(draws* from) {
  uint64_t z = (from->state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double draw_uniform(draws* from) {
  return (double)(draw(from) >> 11) * (1.0 / 9007199254740992.0);
}

/* Normally distributed, with mean 0 and variance 1 (Box and Muller 1958). */
static inline double draw_normal(draws* from) {
  const double radius = sqrt(-2 * log(1 - draw_uniform(from)));
  return radius * cos(6.28318530717959 * draw_uniform(from));
}

static inline void cart_pole_start(cart_pole* pole, draws* from) {
  for (int i = 0; i < CART_POLE_STATE; ++i) pole->state[i] = 0.1 * (draw_uniform(from) - 0.5);
}

#endif
