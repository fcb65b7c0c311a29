/* ext/variables.h: variables by name, with scopes, reuse, collections and initializers.
 *
 * In a tower function get creates or reuses, as tf.get_variable does: in a tower that owns its
 * variables a name is created once and asked for once; elsewhere it must exist with the same shape
 * and dtype; only a LOCAL one that is not trainable is made when it is missing. A name is
 * "scope/…/name": the enclosing scopes joined by '/', contained once, independent of published names,
 * without "tower" in it. After set-up the store is sealed.
 * Source: M66, M90-M93, 3.20. */
#ifndef BROCH_EXT_VARIABLES_H
#define BROCH_EXT_VARIABLES_H

#include "../dlpack.h"
#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_VARIABLES "broch.variables/1"

/* How a variable gets its first value; drawn from (root seed, variable name) and nothing else, so
 * that replicas and ranks start equal. fan_in and fan_out: of a 2-D weight (out, in) shape[1] and
 * shape[0]; of a convolution (out, in, k…) shape[1]*k and shape[0]*k. */
enum {
  BROCH_INIT_CONSTANT = 1,         /* a */
  BROCH_INIT_UNIFORM = 2,          /* from a to b */
  BROCH_INIT_NORMAL = 3,           /* mean a, standard deviation b */
  BROCH_INIT_TRUNCATED_NORMAL = 4, /* the same, redrawn beyond two deviations */
  BROCH_INIT_HE_NORMAL = 5,        /* normal, variance 2 * a / fan_in; a = 1 (He et al. 2015) */
  BROCH_INIT_GLOROT_UNIFORM = 6,   /* uniform, limit a * sqrt(6 / (fan_in + fan_out)); a = 1 */
  BROCH_INIT_LECUN_UNIFORM = 7,    /* uniform, limit a / sqrt(fan_in); a = 1: torch.nn's default */
  BROCH_INIT_ORTHOGONAL = 8,       /* gain a (Saxe et al. 2013) */
  BROCH_INIT_VALUES = 9            /* values, borrowed for the call */
};

enum {
  BROCH_VARIABLE_TRAINABLE = 1, /* gets gradients: TRAINABLE_VARIABLES */
  BROCH_VARIABLE_MODEL = 2,     /* needed for inference: MODEL_VARIABLES */
  BROCH_VARIABLE_LOCAL = 4      /* not loaded by session_init; saved for resume only */
};

typedef struct broch_variable_spec {
  uint32_t struct_size;
  broch_dtype dtype;
  uint32_t rank;
  uint32_t flags; /* BROCH_VARIABLE_… */
  const int64_t* shape;
  int32_t initializer; /* BROCH_INIT_… */
  uint32_t reserved;
  double a, b;
  const broch_dl_tensor* values;
} broch_variable_spec;

typedef struct broch_variable_info {
  uint32_t struct_size; /* set by the caller */
  uint32_t flags;
  const char* name; /* borrowed as long as the run */
  broch_dtype dtype;
  uint32_t rank;
  const int64_t* shape; /* borrowed as long as the run */
} broch_variable_info;

typedef struct broch_variables {
  uint32_t struct_size;
  uint32_t reserved;

  /* In a tower function: the variable of this name under the open scopes, and its value. Reads after
   * an update of the same call see the new value. [step] */
  broch_status (*get)(const broch_host* host, broch_tower tower, const char* name,
                      const broch_variable_spec* spec, broch_variable* variable /* out */,
                      broch_tensor* value /* out */);
  broch_status (*read)(const broch_host* host, broch_tower tower, broch_variable variable,
                       broch_tensor* value /* out */);
  broch_status (*scope_push)(const broch_host* host, broch_tower tower, const char* name);
  broch_status (*scope_pop)(const broch_host* host, broch_tower tower);

  /* Outside tower functions, in setup_graph: a variable under its full name. [main] */
  broch_status (*create)(const broch_host* host, const char* name, const broch_variable_spec* spec,
                         broch_variable* variable /* out */);

  /* By full name; NOT_FOUND with the nearest name. [main] [step] */
  broch_status (*find)(const broch_host* host, const char* name, broch_variable* variable /* out */);

  /* All variables with all of flags, in order of creation, of one tower call or (tower 0) of the
   * store; count is the number there are, at most capacity are written. [main] [step] */
  broch_status (*list)(const broch_host* host, broch_tower tower, uint32_t flags,
                       broch_variable* variables /* out */, uint32_t capacity,
                       uint32_t* count /* out */);
  broch_status (*info)(const broch_host* host, broch_variable variable,
                       broch_variable_info* info /* in: struct_size, out */);

  /* The current value outside tower functions: a borrowed alias, not a copy. [main] */
  broch_status (*value)(const broch_host* host, broch_variable variable,
                        broch_tensor* value /* out */);

  /* Copies data in place; shape and dtype must agree. [main], not inside a run */
  broch_status (*assign)(const broch_host* host, broch_variable variable,
                         const broch_dl_tensor* data);
} broch_variables;

BROCH_C_END

#endif
