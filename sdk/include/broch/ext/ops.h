/* ext/ops.h: computation, one operator at a time, with full autograd.
 *
 * An operator is resolved once, by the schema text the plugin was compiled with; the host proves
 * that its own operator is compatible and maps arguments by name. opset.h has a wrapper for each
 * operator of broch.opset/1, whose texts are frozen; resolving others works and is shown as
 * unstable by the checker. */
#ifndef BROCH_EXT_OPS_H
#define BROCH_EXT_OPS_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_OPS "broch.ops/1"

typedef struct broch_ops {
  uint32_t struct_size;
  uint32_t reserved;

  /* schema: "aten::relu(Tensor self) -> Tensor". NOT_FOUND: no such operator;
   * FAILED_PRECONDITION: it has changed incompatibly, the message says how. [any] */
  broch_status (*resolve)(const broch_host* host, const char* schema, broch_op* op /* out */);

  /* Runs it. args[0..n) in the order of the declared schema, borrowed; missing trailing ones take
   * the operator's defaults, as does BROCH_TAG_NONE in place of a list. rets[0..m): m at most the number of results; tensors are borrowed
   * handles. Inside a tower function records a gradient where an input requires one; elsewhere
   * gradients are off. A tensor argument must be an input, a variable, a hyper-parameter or computed
   * from these. Fails with the operator's own message. [step], or [main] outside tower functions */
  broch_status (*call)(const broch_host* host, broch_op op, const broch_value* args, uint32_t n,
                       broch_value* rets /* out */, uint32_t m);
} broch_ops;

BROCH_C_END

#endif
