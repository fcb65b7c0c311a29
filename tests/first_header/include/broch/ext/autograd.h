/* ext/autograd.h: gradients inside a tower function, and functions with a derivative of their own.
 *
 * In a tower for training, trainable variables are tracked: gradients are recorded for everything
 * that is computed from them. Inputs, hyper-parameters and other variables are not tracked, and in
 * inference and operations nothing is. track adds what grad is to differentiate with respect to: an
 * input for saliency, the point between two data points for a gradient penalty. */
#ifndef BROCH_EXT_AUTOGRAD_H
#define BROCH_EXT_AUTOGRAD_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_AUTOGRAD "broch.autograd/1"

enum {
  BROCH_GRAD_CREATE_GRAPH = 1, /* the result can be differentiated again */
  BROCH_GRAD_ALLOW_UNUSED = 2  /* handle 0, not an error, for an unused input */
};

typedef uint64_t broch_saved; /* what forward saved for backward; borrowed for the call */

/* A function with a derivative of its own; forward and backward call operators. Keep tensors for
 * backward only with save: a tensor kept in another way would never be freed, and changes to it in
 * place would not be detected. */
typedef struct broch_custom_function {
  uint32_t struct_size;
  uint32_t output_count;
  const char* name; /* for messages; a static string */

  /* Computes outputs[0..output_count). Gradients are recorded only for what it tracks. [step] */
  broch_status (*forward)(void* user, broch_saved saved, const broch_tensor* inputs, uint32_t n,
                          broch_tensor* outputs /* out */);
  /* grad_outputs[0..output_count): 0 for an output that was not used. grad_inputs[0..n): 0 means no
   * gradient. Can itself be differentiated if it only calls operators. [step] */
  broch_status (*backward)(void* user, broch_saved saved, const broch_tensor* grad_outputs,
                           broch_tensor* grad_inputs /* out */, uint32_t n);
  /* (optional) Called once, when the last graph that uses user is gone. [any] */
  void (*free_user)(void* user);
} broch_custom_function;

typedef struct broch_host_autograd {
  uint32_t struct_size;
  uint32_t reserved;

  /* grads[i] = sum over k of d outputs[k] / d inputs[i] * grad_outputs[k]. inputs: trainable
   * variables of a training tower, tracked tensors, and what was computed from these.
   * grad_outputs NULL: ones; the outputs must then be scalars. flags: BROCH_GRAD_…. Source:
   * torch.autograd.grad. [step] */
  broch_status (*grad)(const broch_host* host, const broch_tensor* outputs, uint32_t n,
                       const broch_tensor* inputs, uint32_t m, const broch_tensor* grad_outputs,
                       uint32_t flags, broch_tensor* grads /* out */);

  /* tracked: the same memory as tensor (floating-point or complex), but the start of a computation:
   * grad can be asked for with respect to it, and nothing flows on to what tensor was computed
   * from. Until the call ends gradients are recorded, also in inference and operations, but not
   * between no_grad_push and no_grad_pop. Source: torch, x.detach().requires_grad_(). [step] */
  broch_status (*track)(const broch_host* host, broch_tensor tensor,
                        broch_tensor* tracked /* out */);

  /* Calls function->forward and records its backward. n and output_count: 1 to 16. function is
   * borrowed for the call; user is taken, even on failure. [step] */
  broch_status (*apply)(const broch_host* host, const broch_custom_function* function, void* user,
                        const broch_tensor* inputs, uint32_t n, broch_tensor* outputs /* out */);

  /* save: keeps tensors for backward; call it once, in forward. saved: in backward, the tensor at
   * index. [step] */
  broch_status (*save)(const broch_host* host, broch_saved saved, const broch_tensor* tensors,
                       uint32_t n);
  broch_status (*saved)(const broch_host* host, broch_saved saved, uint32_t index,
                        broch_tensor* tensor /* out */);

  /* Operators between push and pop record no gradient. Whatever is still open at the end of the
   * call is closed. [step] */
  broch_status (*no_grad_push)(const broch_host* host);
  broch_status (*no_grad_pop)(const broch_host* host);
} broch_host_autograd;

BROCH_C_END

#endif
