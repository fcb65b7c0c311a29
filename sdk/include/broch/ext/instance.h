/* ext/instance.h: components inside components.
 *
 * The value of an option marked "x-broch-component": "<role>" is a manifest entry, or {"ref": name}
 * for an instance that is defined elsewhere. The host validates it, creates the child, owns it and
 * destroys it after its parent. The parent calls the child through the tables below. They have the
 * layout of the role's own tables but go through the host, so that state, threads, timing and error
 * messages work for children as well.
 *
 * With "x-broch-same-seed": true next to it, seed returns the same number on all ranks in that
 * child and in everything it contains, so that the ranks can divide one random order among
 * themselves. */
#ifndef BROCH_EXT_INSTANCE_H
#define BROCH_EXT_INSTANCE_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_INSTANCE "broch.instance/1"

typedef struct broch_host_instance {
  uint32_t struct_size;
  uint32_t reserved;

  /* The name of this instance in the manifest, borrowed until destroy. [any] */
  const char* (*name)(const broch_host* host);

  /* The child at an option ("/dataflow", "/inferencers/0") in one of the roles dataflow, indexed,
   * transform, input_source, callback, monitor, inferencer, session_init and function (expressions
   * too), or as broch.state/1. A model is run through predict.h. There are no children of other
   * roles: optimizers and gradient processors are given to plans, as manifest entries
   * (plan_nodes.h).
   * *self is the first argument of the functions of *interface_table. Borrowed until destroy.
   * NOT_FOUND: no such option, or the child does not have that role. From create on. [main] */
  broch_status (*child)(const broch_host* host, const char* pointer, const char* interface_id,
                        void** self /* out */, const void** interface_table /* out */);

  /* The component id of the child at pointer. [main] */
  broch_status (*child_id)(const broch_host* host, const char* pointer, const char** id /* out */);

  /* A seed for the random numbers of this instance: a hash of the seed of the run, the rank and the
   * name of the instance. No two instances get the same one, and a repeated run gets it again.
   * [any] */
  uint64_t (*seed)(const broch_host* host);
} broch_host_instance;

BROCH_C_END

#endif
