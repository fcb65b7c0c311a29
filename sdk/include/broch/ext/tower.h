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
#define BROCH_COST "COST" /* of one member: what the tower function returned, if it did */

/* What all_reduce gives. */
enum { BROCH_ALL_REDUCE_MEAN = 1, BROCH_ALL_REDUCE_SUM = 2 };

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
   * inference; RunUpdateOps runs it). A run contains a name when the cost of one of its gradients
   * nodes or a name it fetches depends on that; it contains a collection when it is hooked and
   * somebody called run_collection for it. An update that no run contains is never made, without a
   * word: a tower that writes its own weights, in a plan without gradients, anchors them at
   * BROCH_UPDATE_OPS. [step] */
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

  /* The sum or the mean of this tensor over all training towers that compute the step together: of
   * this process, added in order of index, then of all ranks whose plans have an all_reduce node,
   * in order of rank. float32 or float64, of the same shape in each, on the CPU. Differentiable:
   * the gradient is the same reduction of the towers' gradients. Every tower makes the same calls
   * in the same order, and a plan applies gradients of all of them together
   * (BROCH_E_FAILED_PRECONDITION at seal otherwise, as with trainer async). Here a tower waits for
   * the others, whose calls of the tower function go on meanwhile: keep nothing that belongs to a
   * call in the instance. Inference towers, single towers and graphs that are set up get the tensor
   * itself or zeros. Added after the first version, see BROCH_HAS in export.h. Use: synchronised
   * batch norm. Source: tensorpack BatchNorm(sync_statistics). [step] */
  broch_status (*all_reduce)(const broch_host* host, broch_tower tower, broch_tensor tensor,
                             int32_t mode /* BROCH_ALL_REDUCE_… */,
                             broch_tensor* reduced /* out */);
} broch_tower_ext;

BROCH_C_END

#endif
