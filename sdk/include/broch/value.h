/* value.h: handles, dtypes and the tagged value that operators take.
 *
 * A handle is an opaque 64-bit number; 0 means none. It contains scope, generation and index and is
 * checked on every use: using a stale handle, or one of another thread or another tower call, is a
 * failure with a message and never undefined behavior.
 *
 *   borrowed  valid on its own thread until its scope ends. The scope is the call from the host in
 *             which the plugin is, or the innermost scope that it has pushed (ext/scope.h). Handles
 *             that host functions return are borrowed unless their comment says owned.
 *   owned     valid on all threads of its instance until it is released (retain, ext/tensor.h). */
#ifndef BROCH_VALUE_H
#define BROCH_VALUE_H

#include "export.h"
#include "status.h"

BROCH_C_BEGIN

typedef uint64_t broch_tensor;
typedef uint64_t broch_variable;  /* valid for the whole run */
typedef uint64_t broch_op;        /* valid for the whole run */
typedef uint64_t broch_tower;     /* one call of a tower function; borrowed */
typedef uint64_t broch_plan;      /* valid for the whole run */
typedef uint64_t broch_node;      /* valid for the whole run */
typedef uint64_t broch_run;       /* one hooked run, in before_run and after_run; borrowed */
typedef uint64_t broch_point;     /* one data point; owned if made with point_new, else borrowed */
typedef uint64_t broch_predictor; /* valid as long as the instance that made it; not in others */
typedef uint64_t broch_operation; /* valid as long as the instance that made it; not in others */
typedef uint64_t broch_async_predictor; /* valid as long as the instance that made it */

/* Element types. The numbers are Broch's own and frozen. */
enum {
  BROCH_FLOAT32 = 1,
  BROCH_FLOAT64 = 2,
  BROCH_FLOAT16 = 3,
  BROCH_BFLOAT16 = 4,
  BROCH_INT8 = 5,
  BROCH_INT16 = 6,
  BROCH_INT32 = 7,
  BROCH_INT64 = 8,
  BROCH_UINT8 = 9,
  BROCH_BOOL = 10,
  BROCH_COMPLEX64 = 11,
  BROCH_COMPLEX128 = 12
};
typedef int32_t broch_dtype;

/* What a reduction computes, in every interface that has one. */
enum { BROCH_REDUCE_SUM = 1, BROCH_REDUCE_MEAN = 2, BROCH_REDUCE_MIN = 3, BROCH_REDUCE_MAX = 4 };

/* Tags of broch_value. len is used by the list tags and by STR. */
enum {
  BROCH_TAG_NONE = 0,
  BROCH_TAG_TENSOR = 1,  /* u.tensor; 0: undefined tensor */
  BROCH_TAG_INT = 2,     /* u.i64; also accepted where the operator takes a float or Scalar */
  BROCH_TAG_DOUBLE = 3,  /* u.f64 */
  BROCH_TAG_BOOL = 4,    /* u.i64, 0 or 1 */
  BROCH_TAG_STR = 5,     /* u.str, len bytes, UTF-8 */
  BROCH_TAG_DTYPE = 6,   /* u.i64, a broch_dtype */
  BROCH_TAG_INTS = 7,    /* u.i64s */
  BROCH_TAG_DOUBLES = 8, /* u.f64s */
  BROCH_TAG_TENSORS = 9, /* u.tensors; an element 0: no tensor */
  BROCH_TAG_BOOLS = 10   /* u.bools, one byte per element */
};

/* 16 bytes, frozen. Tags without a name are refused. Lists are borrowed for the call. */
typedef struct broch_value {
  uint32_t tag;
  uint32_t len;
  union {
    broch_tensor tensor;
    int64_t i64;
    double f64;
    const char* str;
    const int64_t* i64s;
    const double* f64s;
    const broch_tensor* tensors;
    const uint8_t* bools;
  } u;
} broch_value;

/* Receives bytes whose size the callee does not know in advance. write copies them at once. */
typedef struct broch_writer {
  void* context;
  broch_status (*write)(void* context, const void* bytes, uint64_t size);
} broch_writer;

BROCH_C_END

#endif
