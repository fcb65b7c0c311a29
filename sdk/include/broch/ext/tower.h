/* ext/tower.h: the context of a call of a tower function. tensorpack: `TowerContext`.
 *
 * The handle is valid only during the call that received it, so towers never nest. Source:
 * tensorpack tfutils/tower.py.
 *
 * update writes a variable when a run ends that contains its anchor. Until then handles taken
 * earlier keep the old value; reads after the call of update return the new one.
 *  - The anchor is a name that this tower publishes, or a collection: one of those below, or one
 *    that this tower adds to.
 *  - A run contains a name if the cost of one of its gradients nodes, or a name that it fetches,
 *    depends on that name. A run contains a collection if it is hooked and some callback has called
 *    run_collection for it.
 *  - Updates at BROCH_UPDATE_OPS are kept from all training towers, dropped for inference, and run
 *    by run-update-ops.
 *  - An update that no run contains is never made, and nothing reports it: a tower that writes its
 *    own weights, in a plan without gradients, anchors them at BROCH_UPDATE_OPS.
 *
 * all_reduce goes over all training towers that compute the step together: those of this process,
 * added in the order of index, then those of all ranks whose plans have an all_reduce node, in the
 * order of ranks.
 *  - The tensors are float32 or float64, on the CPU, with the same shape in each tower. The
 *    gradient is the same reduction of the gradients of the towers.
 *  - All towers must make the same calls in the same order, and the plan must apply the gradients
 *    of all towers together; otherwise seal fails with FAILED_PRECONDITION, for example with
 *    trainer async.
 *  - A tower waits here for the others, whose tower functions run meanwhile: keep nothing that
 *    belongs to a call in the instance.
 *  - Inference towers and single towers get the tensor itself, and during set-up the result may be
 *    zeros. */
#ifndef BROCH_EXT_TOWER_H
#define BROCH_EXT_TOWER_H

#include "../dlpack.h"
#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_TOWER "broch.tower/1"
/* Collections that have a meaning for the host. Other names belong to the plugin. */
#define BROCH_UPDATE_OPS "UPDATE_OPS"
#define BROCH_SUMMARIES "SUMMARIES"
#define BROCH_MOVING_SUMMARY_OPS "MOVING_SUMMARY_OPS"
#define BROCH_REGULARIZATION_LOSSES "REGULARIZATION_LOSSES"
#define BROCH_COST "COST" /* one member: what the tower function returned, if it did */

typedef struct broch_tower_info {
  uint32_t struct_size; /* set by the caller */
  uint32_t index;       /* training: 0 to total - 1; inference: 0 */
  const char* name;     /* "" for a single tower, "tower0", "tower-pred-0"; borrowed for the call */
  const char* vs_name;  /* its variable scope, "" or "tower1"; borrowed for the call */
  broch_dl_device device;
  uint32_t total;            /* number of towers of its kind */
  int32_t is_training;       /* 0: inference */
  int32_t is_main;           /* 1 for the main training tower, the one with index 0 */
  int32_t has_own_variables; /* variables created here are new, not reused */
} broch_tower_info;

typedef struct broch_host_tower {
  uint32_t struct_size;
  uint32_t reserved;

  /* Facts about the tower. A recording is only used for a tower with the same values. [step] */
  broch_status (*info)(const broch_host* host, broch_tower tower,
                       broch_tower_info* info /* in: struct_size, out */);

  /* Gives a tensor a name, so that callbacks, predictors and plans can fetch or feed it. Continue
   * with *published: if the name is being fed, it is the fed value. A name is not empty,
   * contains no ':' and can be used once per tower. Layers use "{scope}/output". [step] */
  broch_status (*publish)(const broch_host* host, broch_tower tower, const char* name,
                          broch_tensor tensor, broch_tensor* published /* out */);

  /* Writes a variable at the end of a run that contains anchor; there is no other way to do so
   * here. [step] */
  broch_status (*update)(const broch_host* host, broch_tower tower, broch_variable variable,
                         broch_tensor value, const char* anchor);

  /* collection_add appends a tensor to a collection of this tower. collection_get returns what this
   * call has added so far: *count is the total, at most capacity tensors are written. There is a
   * warning if no cost uses a regularization loss. [step] */
  broch_status (*collection_add)(const broch_host* host, broch_tower tower, const char* collection,
                                 broch_tensor tensor);
  broch_status (*collection_get)(const broch_host* host, broch_tower tower, const char* collection,
                                 broch_tensor* tensors /* out */, uint32_t capacity,
                                 uint32_t* count /* out */);

  /* A tensor with the given values on the device of the tower. They must be the same in every call.
   * [step] */
  broch_status (*constant)(const broch_host* host, broch_tower tower, const broch_dl_tensor* data,
                           broch_tensor* tensor /* out */);

  /* The sum or the mean of this tensor over the towers. mode: BROCH_REDUCE_SUM or
   * BROCH_REDUCE_MEAN; others are refused with INVALID_ARGUMENT. Used for synchronized batch norm;
   * source: tensorpack BatchNorm(sync_statistics). [step] */
  broch_status (*all_reduce)(const broch_host* host, broch_tower tower, broch_tensor tensor,
                             int32_t mode, broch_tensor* reduced /* out */);
} broch_host_tower;

BROCH_C_END

#endif
