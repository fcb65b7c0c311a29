/* ext/tower.h: the context of a tower function call. Seed term: TowerContext.
 *
 * The handle is valid during the call that received it and nowhere else, so towers never nest.
 * Source: tensorpack tfutils/tower.py; 3.20, M64, M90-M95. */
#ifndef BROCH_EXT_TOWER_H
#define BROCH_EXT_TOWER_H

#include "../dlpack.h"
#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_TOWER "broch.tower/1"

/* Collections with a meaning for the host; any other name is the plugin's own. */
#define BROCH_UPDATE_OPS "UPDATE_OPS"
#define BROCH_SUMMARIES "SUMMARIES"
#define BROCH_MOVING_SUMMARY_OPS "MOVING_SUMMARY_OPS"
#define BROCH_REGULARIZATION_LOSSES "REGULARIZATION_LOSSES"

typedef struct broch_tower_info {
  uint32_t struct_size; /* set by the caller */
  int32_t is_training;
  int32_t is_main;           /* the main training tower: index 0 in training */
  int32_t has_own_variables; /* variables made here are new, not reused */
  uint32_t index;            /* training: 0 .. total-1; inference: 0 */
  uint32_t total;
  const char* name;    /* "" for a single tower, "tower0", "tower-pred-0"; borrowed for the call */
  const char* vs_name; /* variable scope it is built in, "" or "tower1"; borrowed for the call */
  broch_dl_device device;
} broch_tower_info;

typedef struct broch_tower_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Facts only; they are part of what a recording is keyed by. [step] */
  broch_status (*info)(const broch_host* host, broch_tower tower,
                       broch_tower_info* info /* in: struct_size, out */);

  /* Names a tensor so that callbacks, predictors and plans can fetch or feed it. Go on with
   * *published: it is what was fed instead when somebody feeds the name. A name once a tower; layers
   * use "{scope}/output". [step] */
  broch_status (*publish)(const broch_host* host, broch_tower tower, const char* name,
                          broch_tensor tensor, broch_tensor* published /* out */);

  /* Writes a variable, the only way to do so here. Nothing is written at once: handles taken before
   * keep the old value, reads after this call see the new one, and storage changes when a run that
   * contains the anchor ends. anchor: a name that this tower publishes, or a collection: one of those
   * above or one it adds to, such as BROCH_UPDATE_OPS (kept from all training towers, dropped in
   * inference; RunUpdateOps runs it). [step] */
  broch_status (*update)(const broch_host* host, broch_tower tower, broch_variable variable,
                         broch_tensor value, const char* anchor);

  /* Appends to a named list of this tower; reading gives what this call has added so far, count at
   * most capacity. A regularization loss that no cost uses is warned about. [step] */
  broch_status (*collection_add)(const broch_host* host, broch_tower tower, const char* collection,
                                 broch_tensor tensor);
  broch_status (*collection_get)(const broch_host* host, broch_tower tower, const char* collection,
                                 broch_tensor* tensors /* out */, uint32_t capacity,
                                 uint32_t* count /* out */);

  /* A tensor with the given values on the tower's device; the same values in every call. [step] */
  broch_status (*constant)(const broch_host* host, broch_tower tower, const broch_dl_tensor* data,
                           broch_tensor* tensor /* out */);
} broch_tower_ext;

BROCH_C_END

#endif
