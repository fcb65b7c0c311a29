/* role/transform.h: makes a data point from a data point: decodes, crops, normalizes, drops.
 * tensorpack: the function of `MapData`, `Augmentor`.
 *
 * A transform is pure: what it makes depends on the point, its options and seed, and on nothing
 * else. So it may be called from any thread at any time, and the result is the same with any number
 * of threads and ranks, and in a resumed run. The dataflow `map` applies a list of transforms. */
#ifndef BROCH_ROLE_TRANSFORM_H
#define BROCH_ROLE_TRANSFORM_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_TRANSFORM "broch.transform/1"

/* Flags of a transform. */
enum {
  BROCH_TRANSFORM_MANY = 1 /* makes any number of points from one, and emits each of them */
};

typedef struct broch_transform {
  uint32_t struct_size;
  uint32_t flags; /* BROCH_TRANSFORM_… */

  /* Fills out, which is empty, from in. The content of in may be moved to out (move_component of
   * ext/data_point.h); afterwards in is cleared.
   *
   * seed: for random numbers (draws.h). The host makes it from the seed of the run, the name of
   * this instance and the key of the point, and not from the rank. A parent that calls a child
   * passes the key of the point here (ext/data_point.h).
   *
   * With BROCH_TRANSFORM_MANY: pass each point on with emit of ext/data_point.h. None: the point is
   * dropped. What is left in out at the end is not passed on. [any] */
  broch_status (*apply)(void* self, uint64_t seed, broch_point in, broch_point out);
} broch_transform;

BROCH_C_END

#endif
