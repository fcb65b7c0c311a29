/* ext/autograd.h: gradients inside a tower function, and functions with a derivative of their own. */
#ifndef BROCH_EXT_AUTOGRAD_H
#define BROCH_EXT_AUTOGRAD_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_AUTOGRAD "broch.autograd/1"

enum {
  BROCH_GRAD_CREATE_GRAPH = 1, /* the result can be differentiated again */
  BROCH_GRAD_ALLOW_UNUSED = 2  /* an input that outputs do not depend on gives handle 0 */
};

typedef uint64_t broch_saved; /* what forward saved for backward; borrowed for the two calls */

/* A function whose forward and backward call operators. save only through the extension: an output
 * kept by other means would never be freed and would escape the check for changes in place. */
typedef struct broch_custom_function {
  uint32_t struct_size;
  uint32_t output_count;
  const char* name; /* for messages; static */

  /* Gradients are off inside. outputs[0..output_count). [step] */
  broch_status (*forward)(void* user, broch_saved saved, const broch_tensor* inputs, uint32_t n,
                          broch_tensor* outputs /* out */);
  /* grad_outputs[0..output_count), 0 where an output was not used; grad_inputs[0..n), 0 = none. Itself
   * differentiable when it only calls operators. [step] */
  broch_status (*backward)(void* user, broch_saved saved, const broch_tensor* grad_outputs,
                           broch_tensor* grad_inputs /* out */, uint32_t n);
  /* (optional) Once, when the last graph that uses user is gone. [any] */
  void (*free_user)(void* user);
} broch_custom_function;

typedef struct broch_autograd {
  uint32_t struct_size;
  uint32_t reserved;

  /* grads[i] = sum over k of d outputs[k] / d inputs[i] * grad_outputs[k]; grad_outputs NULL: ones,
   * outputs must then be scalars. Source: torch.autograd.grad. [step] */
  broch_status (*grad)(const broch_host* host, const broch_tensor* outputs, uint32_t n,
                       const broch_tensor* inputs, uint32_t m, const broch_tensor* grad_outputs,
                       uint32_t flags, broch_tensor* grads /* out */);

  /* Calls function->forward and records its backward. At most 16 inputs. user is taken, on failure
   * too. [step] */
  broch_status (*apply)(const broch_host* host, const broch_custom_function* function, void* user,
                        const broch_tensor* inputs, uint32_t n, broch_tensor* outputs /* out */);

  /* In forward: keeps tensors for backward. Once. In backward: the index-th of them. [step] */
  broch_status (*save)(const broch_host* host, broch_saved saved, const broch_tensor* tensors,
                       uint32_t n);
  broch_status (*saved)(const broch_host* host, broch_saved saved, uint32_t index,
                        broch_tensor* tensor /* out */);

  /* Operators between push and pop record no gradient. Closed at the end of the call at the latest.
   * [step] */
  broch_status (*no_grad_push)(const broch_host* host);
  broch_status (*no_grad_pop)(const broch_host* host);
} broch_autograd;

BROCH_C_END

#endif
