/* ext/dist.h: the rank of this process, and calls by which the callbacks of several ranks work
 * together, for example to average a number or to make one decision for all.
 *
 * Every component may ask for ranks. The other functions are for callbacks that run on all ranks
 * ("run_on": "all"), and for the trainer. An instance must make the same calls in the same order on
 * all ranks. Otherwise all ranks fail (exit code 8), in a step and in trigger_step also if one does
 * not arrive within runtime.collective_timeout. In other events a call waits for as long as rank 0
 * is at work, such as evaluating. With one rank every call returns at once.
 * Source: torch.distributed; tensorpack callbacks/misc.py with Horovod. */
#ifndef BROCH_EXT_DIST_H
#define BROCH_EXT_DIST_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_DIST "broch.dist/1"

typedef struct broch_host_dist {
  uint32_t struct_size;
  uint32_t reserved;

  /* rank: the number of this process among those that train; world: how many these are; local_rank:
   * its number among those on the same machine. On one rank and on parameter servers 0, 1 and 0.
   * Usable from create on. [any] */
  broch_status (*ranks)(const broch_host* host, uint32_t* rank /* out */, uint32_t* world /* out */,
                        uint32_t* local_rank /* out */);

  /* values[i] becomes the sum, mean, minimum or maximum (mode: BROCH_REDUCE_…) of values[i] of all
   * ranks, added in their order. All ranks get the same bits; NaN if one of them has NaN. n must be
   * the same on all. [main] */
  broch_status (*all_reduce)(const broch_host* host, double* values /* in, out: n */, uint32_t n,
                             int32_t mode);

  /* all receives the bytes of every rank, in the order of ranks. size, of one of them, must be the
   * same on all. [main] */
  broch_status (*all_gather)(const broch_host* host, const void* mine, uint64_t size,
                             void* all /* out: world * size */);

  /* All ranks receive the bytes of rank root. size and root must be the same on all. [main] */
  broch_status (*broadcast)(const broch_host* host, void* bytes /* in, out */, uint64_t size,
                            uint32_t root);

  /* Returns when all ranks have called it. [main] */
  broch_status (*barrier)(const broch_host* host);
} broch_host_dist;

BROCH_C_END

#endif
