/* ext/tensor.h: tensors as data: inspects them, makes them from memory and copies them out.
 *
 * Gradients do not flow through these functions; use ext/ops.h to compute. Inside a tower function,
 * reading values (view, item, copy_out, to_dlpack) is allowed but prevents the tower from being
 * recorded; the log says so once. */
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
  broch_dl_device device;
  int64_t element_count;
  int64_t shape[BROCH_RANK_MAX];
  uint32_t rank; /* how many elements of shape count */
  int32_t requires_grad;
} broch_tensor_info;

typedef struct broch_host_tensor {
  uint32_t struct_size;
  uint32_t reserved;

  /* Dtype, shape and device. [any] */
  broch_status (*info)(const broch_host* host, broch_tensor tensor,
                       broch_tensor_info* info /* in: struct_size, out */);

  /* The value of a tensor with one element, as a number. INVALID_ARGUMENT: there is not exactly
   * one. Waits for the device. [any] */
  broch_status (*item)(const broch_host* host, broch_tensor tensor, double* value /* out */);

  /* A view of the memory, borrowed as long as the handle; read only. Memory of other devices cannot
   * be read directly; use copy_out. [any] */
  broch_status (*view)(const broch_host* host, broch_tensor tensor,
                       broch_dl_tensor* view /* out */);

  /* Copies the values to bytes: compact, row-major, converted to dtype (0: unchanged). size must be
   * that of exactly element_count elements. Works with all devices. [any] */
  broch_status (*copy_out)(const broch_host* host, broch_tensor tensor, broch_dtype dtype,
                           void* bytes /* out */, uint64_t size);

  /* A new tensor with a copy of data. Not inside a tower function; use constant of ext/tower.h
   * there. [any] */
  broch_status (*from_data)(const broch_host* host, const broch_dl_tensor* data,
                            broch_tensor* tensor /* out */);

  /* A new tensor on memory that is taken: the host calls the deleter, even on failure. [any] */
  broch_status (*from_dlpack)(const broch_host* host, broch_dl_managed* data,
                              broch_tensor* tensor /* out */);

  /* Exports a tensor. The result is owned; call its deleter. Fails if the tensor requires a
   * gradient. [any] */
  broch_status (*to_dlpack)(const broch_host* host, broch_tensor tensor,
                            broch_dl_managed** data /* out */);

  /* An owned handle, valid on all threads of this instance until release, for a copy of the tensor
   * with its current values. [any] */
  broch_status (*retain)(const broch_host* host, broch_tensor tensor,
                         broch_tensor* owned /* out */);

  /* Ends an owned handle; a borrowed one may also be ended early. 0 does nothing. [any] */
  broch_status (*release)(const broch_host* host, broch_tensor tensor);
} broch_host_tensor;

BROCH_C_END

#endif
