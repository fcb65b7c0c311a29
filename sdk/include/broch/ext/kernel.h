/* ext/kernel.h: C code as an operator in a tower, for example a loss, a print, or a lookup that
 * operators cannot express. A recorded tower calls it in every step, with its tensors in memory. It
 * is the only code of a plugin that a replay calls.
 *
 * Rules of run:
 *  - All tensors are in CPU memory, row-major without gaps, with strides NULL and byte_offset 0. A
 *    tensor that does not exist has data NULL and dtype.bits 0.
 *  - Inputs are read only. Outputs start at multiples of 64 bytes, do not overlap anything and are
 *    not cleared: write every element. Writing elsewhere, or leaving an element of a floating-point
 *    output unwritten, ends the run in steps that are recorded, verified or audited; in other steps
 *    the behavior is undefined.
 *  - Use no handles and call no operators; log and fail are allowed. Calls of one instance take
 *    turns.
 *  - While the graph is set up run is not called, and outputs are zeros.
 *
 * Rules of backward. Its inputs are the n inputs of the kernel, its m outputs, and the m gradients
 * of the outputs; a gradient does not exist if the output was not used or is not floating-point.
 * Its outputs are n gradients, each with the dtype and shape of its input; those for inputs that
 * are not floating-point do not exist. Its shapes is not called, and it must not be RANDOM. It may
 * have a backward in turn, for derivatives of up to third order; a derivative that is missing is an
 * error when it is needed. */
#ifndef BROCH_EXT_KERNEL_H
#define BROCH_EXT_KERNEL_H

#include "../dlpack.h"
#include "../host.h"
#include "../value.h"
#include "tensor.h"

BROCH_C_BEGIN

#define BROCH_EXT_KERNEL "broch.kernel/1"
#define BROCH_KERNEL_TENSORS_MAX 16 /* limit for the inputs and for the outputs of a call */

/* What the host may assume. One of PURE, STATEFUL, RANDOM, or STATEFUL and RANDOM; others are
 * refused. */
enum {
  /* The outputs depend on nothing but the shapes, dtypes and values of the inputs. Not called if no
   * output is used, called only once if no input ever changes, and called again when a recording is
   * compared with the eager step. */
  BROCH_KERNEL_PURE = 1,
  /* Keeps a state or has side effects. Called exactly once in each run of its tower, in the order
   * of the tower function, whether its outputs are used or not. When a recording is compared with
   * the eager step, only one of the two calls the kernel; the other gets copies of the outputs. */
  BROCH_KERNEL_STATEFUL = 2,
  /* The outputs also depend on draw_key and draw_counter of the call; otherwise as PURE. */
  BROCH_KERNEL_RANDOM = 4
};

/* Dtype and shape of a tensor. An element of arrays, so frozen. */
typedef struct broch_kernel_type {
  broch_dtype dtype;             /* 0: there is no tensor */
  uint32_t rank;                 /* at most BROCH_RANK_MAX */
  int64_t shape[BROCH_RANK_MAX]; /* in elements */
} broch_kernel_type;

/* What run receives besides its tensors. Borrowed for the call. */
typedef struct broch_kernel_call {
  uint32_t struct_size;
  uint32_t reserved;
  void* stream; /* NULL: all memory belongs to the CPU */
  /* RANDOM: a pair for seeding a counter-based generator. It is the same in every execution, eager
   * or recorded, of this call in this run of the tower, and different for all other calls.
   * Otherwise 0. */
  uint64_t draw_key;
  uint64_t draw_counter; /* index of the run */
} broch_kernel_call;

/* Describes a kernel. It must be the same in each call of the tower function and stay valid as long
 * as the instance, so put it in static memory. */
typedef struct broch_kernel {
  uint32_t struct_size;
  uint32_t flags;   /* BROCH_KERNEL_… */
  const char* name; /* not empty; for messages and random numbers; valid as long as the instance */

  /* (optional) Fills outputs[0..m) from inputs[0..n), and depends on nothing else. Called in tower
   * functions, never in a replay. NULL: output i has the dtype and shape of input i. A failure ends
   * the tower function. [step] */
  broch_status (*shapes)(void* user, const broch_kernel_type* inputs, uint32_t n,
                         broch_kernel_type* outputs /* out */, uint32_t m);

  /* Computes outputs[0..m) from inputs[0..n), borrowed for the call. A failure ends the run with a
   * message that names instance and kernel. [step] */
  broch_status (*run)(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                      uint32_t n, const broch_dl_tensor* outputs /* out: the memory */, uint32_t m);

  /* (optional) The derivative, a kernel with the same user. NULL: no gradient flows through this
   * kernel. */
  const struct broch_kernel* backward;
} broch_kernel;

typedef struct broch_host_kernel {
  uint32_t struct_size;
  uint32_t reserved;

  /* Calls a kernel inside a tower function. inputs: in CPU memory (otherwise UNIMPLEMENTED), none
   * is 0. n and m: 0 to BROCH_KERNEL_TENSORS_MAX. user: passed on, may be NULL; as kernel, the same
   * in each call of the tower function and valid as long as the instance. outputs: borrowed.
   * Failures of shapes and run are passed on. Source: tf.py_func. [step] */
  broch_status (*call)(const broch_host* host, broch_tower tower, const broch_kernel* kernel,
                       void* user, const broch_tensor* inputs, uint32_t n,
                       broch_tensor* outputs /* out */, uint32_t m);
} broch_host_kernel;

BROCH_C_END

#endif
