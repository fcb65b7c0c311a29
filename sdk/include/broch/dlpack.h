/* dlpack.h: tensors in plain memory, in the layout of DLPack 1.x.
 *
 * Written from the DLPack specification (https://dmlc.github.io/dlpack/latest/c_api.html) under
 * Broch's own names, so that a plugin can include <dlpack/dlpack.h> as well; pointers to the
 * structs of one may be cast to those of the other. broch_dl_tensor is a view and owns nothing. */
#ifndef BROCH_DLPACK_H
#define BROCH_DLPACK_H

#include "export.h"

BROCH_C_BEGIN

typedef struct broch_dl_version {
  uint32_t major; /* 1; a reader that does not know it may only call deleter */
  uint32_t minor;
} broch_dl_version;

enum { BROCH_DL_CPU = 1, BROCH_DL_CUDA = 2, BROCH_DL_CUDA_HOST = 3 };

typedef struct broch_dl_device {
  int32_t device_type; /* BROCH_DL_… */
  int32_t device_id;
} broch_dl_device;

enum {
  BROCH_DL_INT = 0,
  BROCH_DL_UINT = 1,
  BROCH_DL_FLOAT = 2,
  BROCH_DL_BFLOAT = 4,
  BROCH_DL_COMPLEX = 5,
  BROCH_DL_BOOL = 6
};

/* For example float32: {2, 32, 1}; int64: {0, 64, 1}; uint8: {1, 8, 1}; bool: {6, 8, 1}; bfloat16:
 * {4, 16, 1}. */
typedef struct broch_dl_type {
  uint8_t code; /* BROCH_DL_… */
  uint8_t bits;
  uint16_t lanes; /* always 1 in Broch */
} broch_dl_type;

typedef struct broch_dl_tensor {
  void* data; /* start of the memory; the first element is byte_offset further */
  broch_dl_device device;
  int32_t ndim;
  broch_dl_type dtype;
  int64_t* shape;
  int64_t* strides; /* in elements, not bytes; NULL: compact, row-major */
  uint64_t byte_offset;
} broch_dl_tensor;

enum { BROCH_DL_READ_ONLY = 1, BROCH_DL_IS_COPIED = 2 };

typedef struct broch_dl_managed {
  broch_dl_version version;
  void* manager_ctx;
  void (*deleter)(struct broch_dl_managed* self); /* may be NULL; call it once, on any thread */
  uint64_t flags;                                 /* BROCH_DL_READ_ONLY, BROCH_DL_IS_COPIED */
  broch_dl_tensor dl_tensor;
} broch_dl_managed;

BROCH_C_END

#endif
