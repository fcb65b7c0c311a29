/* ext/collections.h: what tower functions have put in collections, for callbacks and trainers.
 *
 * A member is a tensor that collection_add of broch.tower/1 was given, an update that is anchored at
 * the collection, or, in SUMMARIES and MOVING_SUMMARY_OPS, what broch.summary/1 add and moving were
 * given; in the order of the calls; in COST it is the cost. Collections are those of the call that
 * defined the tower, and stay as they are: of summaries the main training tower's alone, of UPDATE_OPS
 * those of all training towers. Variables are not in collections: broch.variables/1 list has them by
 * flags (TRAINABLE, MODEL and LOCAL). Seed terms: get_collection_in_tower,
 * TowerTensorHandle.get_collection (M28, 3.20). */
#ifndef BROCH_EXT_COLLECTIONS_H
#define BROCH_EXT_COLLECTIONS_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_COLLECTIONS "broch.collections/1"

/* A tower is named as it was defined ("tower1", "tower-pred-0"), or NULL: the training tower of that
 * index. Towers of a plan are there when it was sealed, so for all callbacks; those of a predictor
 * after get_predictor. One that is not there: NOT_FOUND, with those that are. */
typedef struct broch_collections {
  uint32_t struct_size;
  uint32_t reserved;

  /* The collections with a member, in order of their first; count is the number there are, at most
   * capacity are written, borrowed as long as the run. From setup_graph on. [main] */
  broch_status (*list)(const broch_host* host, const char* tower, uint32_t index,
                       const char** collections /* out */, uint32_t capacity,
                       uint32_t* count /* out */);

  /* For each member the first name under which the tower published that very tensor, or the input
   * that it is; "" if it did not, and for updates. An unknown collection has 0. As list. [main] */
  broch_status (*members)(const broch_host* host, const char* tower, uint32_t index,
                          const char* collection, const char** names /* out */, uint32_t capacity,
                          uint32_t* count /* out */);

  /* In setup_graph of a callback: asks for a member of a training tower along with hooked runs; id
   * is one of those of broch.run/1 fetch. Only what has a name can be fetched, since nothing else
   * leaves a tower that is replayed: FAILED_PRECONDITION otherwise, saying what to do. OUT_OF_RANGE:
   * no such member. [main] */
  broch_status (*fetch)(const broch_host* host, uint32_t index, const char* collection,
                        uint32_t member, uint32_t* id /* out */);
} broch_collections;

BROCH_C_END

#endif
