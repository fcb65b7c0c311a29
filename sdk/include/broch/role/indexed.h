/* role/indexed.h: a dataflow whose points have numbers, and that can be read at any of them.
 *
 * A component of role dataflow implements this interface, or that of role/dataflow.h, or both. If
 * it has this one, the host reads it by index: from several threads at once, in any order, and a
 * resumed run starts at an index instead of reading again what came before. Arrays, files in a
 * folder and databases are of this kind; pipes and generators are not.
 *
 * A point is a function of (round, index). A round is one pass over the data; a dataflow that
 * shuffles has another order in each round. What read fills in must not depend on other calls, on
 * threads or on ranks.
 *
 * Cursors: by default the host gives the point at INDEX of ROUND the cursor "ROUND:NEXT", where
 * NEXT is INDEX + 1, both decimal. A dataflow that needs another one sets it in read and implements
 * locate; a cursor that is set in read without locate is dropped. shard does this, so that a run
 * can be resumed with another number of ranks.
 *
 * Keys: read gives the point a key that stays with it through shuffling, batching and the like
 * (key in ext/data_point.h). If it sets none, it gets a hash of round and index. */
#ifndef BROCH_ROLE_INDEXED_H
#define BROCH_ROLE_INDEXED_H

#include "dataflow.h"

BROCH_C_BEGIN

#define BROCH_ROLE_INDEXED "broch.indexed/1"

typedef struct broch_indexed {
  uint32_t struct_size;
  uint32_t reserved;

  /* (optional) Called once, before everything else: open files, read the index. If the component
   * implements role/dataflow.h as well, only this one is called. [main] */
  broch_status (*reset_state)(void* self);

  /* The number of points of one round. BROCH_NONE: unknown, or endless. [any] */
  broch_status (*size)(void* self, int64_t* size /* out */);

  /* Fills point with the point at index of round. BROCH_END: the round ends before this index, and
   * point is untouched. BROCH_CANCELLED: gave up waiting; return it within 2 seconds after cancel.
   * [any] */
  broch_status (*read)(void* self, uint64_t round, uint64_t index, const broch_cancel* cancel,
                       broch_point point);

  /* (optional) The round and index at which to continue after the point with this cursor, which
   * read has set, or for "ROUND:0", the beginning of a round. Called before the first read of an
   * iteration. [data] */
  broch_status (*locate)(void* self, const void* cursor, uint64_t size, uint64_t* round /* out */,
                         uint64_t* index /* out */);

  /* (optional) Writes what the point at this index is, such as the name of its file, for messages
   * about it. BROCH_NONE: there is nothing to say. [any] */
  broch_status (*describe)(void* self, uint64_t index, const broch_writer* text);
} broch_indexed;

BROCH_C_END

#endif
