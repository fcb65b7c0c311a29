/* ext/tensor.h: tensors as data: look at them, bring them in, take them out.
 *
 * No gradient crosses here; computation is ext/ops.h. Reading values inside a tower function (view,
 * item, copy_out, to_dlpack) is legal, is logged once, and keeps that tower from being recorded. */
#ifndef BROCH_EXT_TENSOR_H
#define BROCH_EXT_TENSOR_H

#include "../dlpack.h"
#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_TENSOR "broch.tensor/1"
#define BROCH_RANK_MAX 8

typedef struct broch_tensor_info {
  uint32_t struct_size; /* set by the caller */
  broch_dtype dtype;
  uint32_t rank;
  int32_t requires_grad;
  int64_t shape[BROCH_RANK_MAX];
  int64_t element_count;
  broch_dl_device device;
} broch_tensor_info;

typedef struct broch_tensor_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* [any] */
  broch_status (*info)(const broch_host* host, broch_tensor tensor,
                       broch_tensor_info* info /* in: struct_size, out */);

  /* The one element as a number; BROCH_E_INVALID_ARGUMENT unless there is exactly one. Waits for the
   * device. [any] */
  broch_status (*item)(const broch_host* host, broch_tensor tensor, double* value /* out */);

  /* A view of the memory, borrowed as long as the handle; read only. Memory of other devices is not
   * readable by the caller; see copy_out. [any] */
  broch_status (*view)(const broch_host* host, broch_tensor tensor,
                       broch_dl_tensor* view /* out */);

  /* Copies the values, compact and row-major, converted to dtype (0: as it is), to bytes, which must
   * have exactly element_count elements. From any device. [any] */
  broch_status (*copy_out)(const broch_host* host, broch_tensor tensor, broch_dtype dtype,
                           void* bytes /* out */, uint64_t size);

  /* A new tensor with a copy of data. Not inside a tower function: use ext/tower.h's constant.
   * [any] */
  broch_status (*from_data)(const broch_host* host, const broch_dl_tensor* data,
                            broch_tensor* tensor /* out */);

  /* A new tensor on memory that is taken: the host calls the deleter, on failure too. [any] */
  broch_status (*from_dlpack)(const broch_host* host, broch_dl_managed* data,
                              broch_tensor* tensor /* out */);

  /* An owned export; call its deleter. Fails for a tensor that requires a gradient. [any] */
  broch_status (*to_dlpack)(const broch_host* host, broch_tensor tensor,
                            broch_dl_managed** data /* out */);

  /* A handle that this instance owns, valid on all its threads until release, to a copy of the
   * memory as it is now. [any] */
  broch_status (*retain)(const broch_host* host, broch_tensor tensor,
                         broch_tensor* owned /* out */);

  /* Ends an owned handle; ending a borrowed one early is legal too. 0 does nothing. [any] */
  broch_status (*release)(const broch_host* host, broch_tensor tensor);
} broch_tensor_ext;

BROCH_C_END

#endif
