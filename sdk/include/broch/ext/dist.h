/* ext/dist.h: what callbacks of several ranks do together: means over all of them, one decision for
 * all.
 *
 * For callbacks that run on all ranks ("run_on": "all") and for the trainer. The same instance of all
 * ranks makes the same calls in the same order, else all of them fail (exit 8), as they do when a rank
 * does not come within runtime.collective_timeout. With one rank every call is done at once. Source:
 * PyTorch, torch.distributed; tensorpack callbacks/misc.py under Horovod. */
#ifndef BROCH_EXT_DIST_H
#define BROCH_EXT_DIST_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_DIST "broch.dist/1"

enum {
  BROCH_DIST_SUM = 1,
  BROCH_DIST_MEAN = 2,
  BROCH_DIST_MIN = 3,
  BROCH_DIST_MAX = 4
};

typedef struct broch_dist {
  uint32_t struct_size;
  uint32_t reserved;

  /* Which one of those that train this process is, how many there are, and which one on its machine;
   * 0, 1 and 0 with one rank and on parameter servers. From create on. [any] */
  broch_status (*ranks)(const broch_host* host, uint32_t* rank /* out */, uint32_t* world /* out */,
                        uint32_t* local_rank /* out */);

  /* values[i] becomes the sum, mean, least or greatest of the values[i] of all ranks (BROCH_DIST_…),
   * added in order of rank: the same bits on all; NaN where one has it. n the same on all. [main] */
  broch_status (*all_reduce)(const broch_host* host, double* values /* in, out: n */, uint32_t n,
                             int32_t mode);

  /* all gets the bytes of every rank, by rank, size of each. size the same on all. [main] */
  broch_status (*all_gather)(const broch_host* host, const void* mine, uint64_t size,
                             void* all /* out: world * size */);

  /* All get the bytes of that rank. size and root the same on all. [main] */
  broch_status (*broadcast)(const broch_host* host, void* bytes /* in, out */, uint64_t size,
                            uint32_t root);

  /* Returns when all have called it. [main] */
  broch_status (*barrier)(const broch_host* host);
} broch_dist;

BROCH_C_END

#endif
