/* ext/kernel.h: host code in a tower as one operator: a loss in C, a print, a lookup that no
 * operator can say. A recorded tower calls it in every step, with the memory of its own values:
 * it is the only code of a plugin that a replay calls. */
#ifndef BROCH_EXT_KERNEL_H
#define BROCH_EXT_KERNEL_H

#include "../dlpack.h"
#include "../host.h"
#include "../value.h"
#include "tensor.h"

BROCH_C_BEGIN

#define BROCH_EXT_KERNEL "broch.kernel/1"
#define BROCH_KERNEL_TENSORS_MAX 16 /* inputs of a call; outputs of a call */

/* What the host may assume: PURE, STATEFUL, RANDOM, or STATEFUL and RANDOM. */
enum {
  /* The outputs depend on shapes, dtypes and values of the inputs, and on nothing else. Not
   * called where nobody reads an output; called once where no input ever changes; called again
   * when a recording is compared with the eager step. */
  BROCH_KERNEL_PURE = 1,
  /* Remembers or does something beside its outputs: called exactly once in each run of its
   * tower, in the order of the tower function, read or not. While a recording is compared with
   * the eager step, one of the two calls the kernel and the other goes on with copies of the
   * outputs it gave. */
  BROCH_KERNEL_STATEFUL = 2,
  /* Also depends on draw_key and draw_counter of its call; otherwise as PURE. */
  BROCH_KERNEL_RANDOM = 4
};

/* One tensor without its values. Frozen: stands in arrays. */
typedef struct broch_kernel_type {
  broch_dtype dtype; /* 0: there is no tensor */
  uint32_t rank;     /* at most BROCH_RANK_MAX */
  int64_t shape[BROCH_RANK_MAX]; /* elements */
} broch_kernel_type;

/* What a call of run is given beside its tensors. Borrowed for the call. */
typedef struct broch_kernel_call {
  uint32_t struct_size;
  uint32_t reserved;
  void* stream; /* NULL: all memory is that of the CPU */
  /* RANDOM: the same pair in every execution, eager or recorded, of this call in this run of the
   * tower; another one for every other. Start a counter-based generator with it. Else 0. */
  uint64_t draw_key;
  uint64_t draw_counter; /* index of the run */
} broch_kernel_call;

/* What a kernel is: a description, the same in each call of the tower function, valid as long as
 * the instance. Put it in static memory. */
typedef struct broch_kernel {
  uint32_t struct_size;
  uint32_t flags;   /* BROCH_KERNEL_… */
  const char* name; /* not empty; for messages and for draws; valid as long as the instance */

  /* (optional) Fills outputs[0..m) from inputs[0..n): a function of these and of nothing else.
   * Called in tower functions, never in a replay. NULL: output i has dtype and shape of input i.
   * A failure ends the tower function. [step] */
  broch_status (*shapes)(void* user, const broch_kernel_type* inputs, uint32_t n,
                         broch_kernel_type* outputs /* out */, uint32_t m);

  /* Computes. All tensors lie in memory of the CPU, row-major without gaps, strides NULL,
   * byte_offset 0; borrowed for the call. Inputs are read only. Outputs start at multiples of 64
   * bytes, overlap with nothing and are not cleared: every element is to be written. A tensor
   * that is not there has data NULL and dtype.bits 0. Calls of one instance take turns. Uses no
   * handle and calls no operator; log and fail are fine. While a graph is set up run is not called
   * and outputs are zeros. A failure ends the run, naming instance and kernel; so does, in steps
   * that are recorded, verified or audited, writing to an input or around an output and leaving an
   * element of a floating-point output unwritten: elsewhere that is undefined. [step] */
  broch_status (*run)(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                      uint32_t n, const broch_dl_tensor* outputs /* out: the memory */, uint32_t m);

  /* (optional) The derivative, a kernel with the same user. Its inputs: the n inputs of this
   * one, its m outputs, the m gradients of the outputs, which are not there where an output was
   * not used or is no floating-point number. Its outputs: n gradients, each with dtype and shape
   * of its input, not there where that is no floating-point number. Its shapes is not called. It
   * is not RANDOM. It may have a backward of its own, for gradients of gradients, and so on up
   * to the third; asking for what is not there is an error. NULL: no gradient flows through this
   * kernel. */
  const struct broch_kernel* backward;
} broch_kernel;

typedef struct broch_kernel_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Calls a kernel inside the tower function of tower, with inputs in memory of the CPU; each is
   * there, handle 0 is refused. user: borrowed, valid as long as the instance, the same in each
   * call of the tower function; NULL is legal and handed on. n and m: at most
   * BROCH_KERNEL_TENSORS_MAX, 0 is legal. outputs: borrowed for the call of the tower function.
   * BROCH_E_INVALID_ARGUMENT for a description that contradicts itself, BROCH_E_UNIMPLEMENTED for
   * an input of another device; what shapes and run fail with is passed on. Source: tf.py_func.
   * [step] */
  broch_status (*call)(const broch_host* host, broch_tower tower, const broch_kernel* kernel,
                       void* user, const broch_tensor* inputs, uint32_t n,
                       broch_tensor* outputs /* out */, uint32_t m);
} broch_kernel_ext;

BROCH_C_END

#endif
