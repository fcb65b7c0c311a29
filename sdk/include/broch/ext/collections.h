/* ext/collections.h: lets callbacks and trainers read what tower functions have published, and
 * added to collections.
 *
 * A collection contains, in the order of the calls: the tensors given to collection_add of
 * broch.tower/1 and the updates anchored at the collection. SUMMARIES and MOVING_SUMMARY_OPS
 * contain what add and moving of broch.summary/1 were given, COST contains the cost. Collections
 * are those of the call that defined the tower, and never change. There are summaries of the main
 * training tower only; UPDATE_OPS exists in every training tower. Variables are not in collections:
 * list of broch.variables/1 finds them by flags (TRAINABLE, MODEL, LOCAL). tensorpack:
 * `get_collection_in_tower`, `TowerTensorHandle.get_collection`. */
#ifndef BROCH_EXT_COLLECTIONS_H
#define BROCH_EXT_COLLECTIONS_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_COLLECTIONS "broch.collections/1"

/* tower: the name of a tower ("tower1", "tower-pred-0"), or NULL for the training tower with the
 * given index. Towers of a plan exist as soon as it is sealed, so callbacks see all of them; that
 * of a predictor exists after get_predictor. NOT_FOUND: no such tower; the message lists those that
 * exist. */
typedef struct broch_host_collections {
  uint32_t struct_size;
  uint32_t reserved;

  /* Lists the collections that are not empty, in the order in which they got their first member.
   * *count is set to their number; at most capacity of them are written. Borrowed as long as the
   * run. Usable from setup_graph on. [main] */
  broch_status (*list)(const broch_host* host, const char* tower, uint32_t index,
                       const char** collections /* out */, uint32_t capacity,
                       uint32_t* count /* out */);

  /* For each member the name under which the tower published this tensor (the first, if several),
   * or the name of the input that it is; "" if there is none, and for updates. An unknown
   * collection has no members. Otherwise as list. [main] */
  broch_status (*members)(const broch_host* host, const char* tower, uint32_t index,
                          const char* collection, const char** names /* out */, uint32_t capacity,
                          uint32_t* count /* out */);

  /* In setup_graph of a callback: requests a member of a training tower with every hooked run; *id
   * is used as that of fetch in broch.progress/1. Only members with a name can be fetched.
   * FAILED_PRECONDITION: it has none; the message says what to do. OUT_OF_RANGE: no such member.
   * [main] */
  broch_status (*fetch)(const broch_host* host, uint32_t index, const char* collection,
                        uint32_t member, uint32_t* id /* out */);

  /* Lists the names that fetch of broch.progress/1 takes from this tower: its inputs, then what it
   * published, in the order of the calls. Otherwise as list. [main] */
  broch_status (*published)(const broch_host* host, const char* tower, uint32_t index,
                            const char** names /* out */, uint32_t capacity,
                            uint32_t* count /* out */);
} broch_host_collections;

BROCH_C_END

#endif
