/* ext/ops.h: computes with tensors, one operator per call, with automatic differentiation.
 *
 * An operator is resolved once, by the text of its schema that the plugin was compiled with. The
 * host checks that its own operator is compatible, and maps arguments by name. opset.h has a
 * function for each operator of broch.opset/1, whose schemas are frozen. Other operators can be
 * resolved as well; `broch plugin check` reports them as unstable.
 *
 * Inside a tower function, an operator records a gradient if an input requires one; elsewhere there
 * are no gradients. Its tensors must be inputs, variables or hyper-parameters, or computed from
 * these. */
#ifndef BROCH_EXT_OPS_H
#define BROCH_EXT_OPS_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_OPS "broch.ops/1"

typedef struct broch_host_ops {
  uint32_t struct_size;
  uint32_t reserved;

  /* schema: "aten::relu(Tensor self) -> Tensor". NOT_FOUND: no such operator. FAILED_PRECONDITION:
   * the operator has changed incompatibly; the message says how. [any] */
  broch_status (*resolve)(const broch_host* host, const char* schema, broch_op* op /* out */);

  /* Runs an operator. args[0..n): in the order of the declared schema, borrowed. Missing arguments
   * at the end get their defaults, and so does BROCH_TAG_NONE in place of a list. rets[0..m): m may
   * be smaller than the number of results, or larger (NONE); tensors are borrowed handles. On
   * failure the message is that of the operator. [step], or [main] outside tower functions */
  broch_status (*call)(const broch_host* host, broch_op op, const broch_value* args, uint32_t n,
                       broch_value* rets /* out */, uint32_t m);

  /* Writes the host's own schema of an operator, for plugins that learn at run time which operators
   * they need. name: with the overload if it has one, "aten::relu" or "aten::add.Tensor".
   * NOT_FOUND: no such operator. [any] */
  broch_status (*schema)(const broch_host* host, const char* name, const broch_writer* text);
} broch_host_ops;

BROCH_C_END

#endif
