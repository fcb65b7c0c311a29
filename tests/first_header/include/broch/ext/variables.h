/* ext/variables.h: variables by name, with scopes, reuse and initializers.
 *
 * In a tower function, get creates or reuses a variable, as tf.get_variable does. In a tower that
 * owns its variables, a name is created once and asked for once. In other towers it must already
 * exist, with the same shape and dtype; a missing variable is only created if it is LOCAL and not
 * trainable. A full name is "scope/…/name": the open scopes and the name, joined with '/'. No part
 * occurs twice, is empty, or contains "tower", ':', a space or a control character. Variable names
 * are independent of published names. No variables are created after set-up. */
#ifndef BROCH_EXT_VARIABLES_H
#define BROCH_EXT_VARIABLES_H

#include "../dlpack.h"
#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_VARIABLES "broch.variables/1"

/* The initial value of a variable. Random ones depend only on the seed of the run and the name of
 * the variable, so replicas and ranks start with the same values. fan_in and fan_out: shape[1]*k
 * and shape[0]*k of a weight (out, in, …), where k is the product of the other dimensions, 1 if
 * there are none. With HE_NORMAL, GLOROT_UNIFORM and LECUN_UNIFORM, a is usually 1. */
enum {
  BROCH_INIT_CONSTANT = 1,         /* a */
  BROCH_INIT_UNIFORM = 2,          /* between a and b */
  BROCH_INIT_NORMAL = 3,           /* mean a, standard deviation b */
  BROCH_INIT_TRUNCATED_NORMAL = 4, /* the same, drawn again beyond two deviations */
  BROCH_INIT_HE_NORMAL = 5,        /* normal, variance 2 * a / fan_in (He et al. 2015) */
  BROCH_INIT_GLOROT_UNIFORM = 6,   /* uniform, limit a * sqrt(6 / (fan_in + fan_out)) */
  BROCH_INIT_LECUN_UNIFORM = 7,    /* uniform, limit a / sqrt(fan_in); torch.nn: a = 1 */
  BROCH_INIT_ORTHOGONAL = 8,       /* gain a (Saxe et al. 2013) */
  BROCH_INIT_VALUES = 9            /* values, borrowed for the call */
};

enum {
  BROCH_VARIABLE_TRAINABLE = 1, /* gets gradients; TensorFlow: TRAINABLE_VARIABLES */
  BROCH_VARIABLE_MODEL = 2,     /* needed for inference; TensorFlow: MODEL_VARIABLES */
  BROCH_VARIABLE_LOCAL = 4      /* not loaded by session_init; saved only for resuming */
};

typedef struct broch_variable_spec {
  uint32_t struct_size;
  broch_dtype dtype;
  const int64_t* shape; /* rank elements */
  uint32_t rank;
  int32_t initializer; /* BROCH_INIT_…, with a, b and values */
  double a, b;
  const broch_dl_tensor* values;
  uint32_t flags; /* BROCH_VARIABLE_… */
  uint32_t reserved;
} broch_variable_spec;

typedef struct broch_variable_info {
  uint32_t struct_size; /* set by the caller */
  broch_dtype dtype;
  const char* name;     /* the full name; borrowed as long as the run */
  const int64_t* shape; /* rank elements; borrowed as long as the run */
  uint32_t rank;
  uint32_t flags; /* BROCH_VARIABLE_… */
} broch_variable_info;

typedef struct broch_host_variables {
  uint32_t struct_size;
  uint32_t reserved;

  /* In a tower function. get: the variable with this name in the open scopes, and its value. read:
   * its value. After an update in the same call both return the new value. [step] */
  broch_status (*get)(const broch_host* host, broch_tower tower, const char* name,
                      const broch_variable_spec* spec, broch_variable* variable /* out */,
                      broch_tensor* value /* out */);
  broch_status (*read)(const broch_host* host, broch_tower tower, broch_variable variable,
                       broch_tensor* value /* out */);
  broch_status (*scope_push)(const broch_host* host, broch_tower tower, const char* name);
  broch_status (*scope_pop)(const broch_host* host, broch_tower tower);

  /* Outside tower functions, in setup_graph: creates a variable with a full name. [main] */
  broch_status (*create)(const broch_host* host, const char* name, const broch_variable_spec* spec,
                         broch_variable* variable /* out */);

  /* Finds a variable by its full name. NOT_FOUND: the message suggests the nearest name. [main]
   * [step] */
  broch_status (*find)(const broch_host* host, const char* name,
                       broch_variable* variable /* out */);

  /* Lists the variables that have all of the flags, in the order of creation: those of a tower
   * call, or with tower 0 those of the whole run. *count is their number; at most capacity are
   * written. [main] [step] */
  broch_status (*list)(const broch_host* host, broch_tower tower, uint32_t flags,
                       broch_variable* variables /* out */, uint32_t capacity,
                       uint32_t* count /* out */);
  /* Dtype, shape, flags and name. [main] [step] */
  broch_status (*info)(const broch_host* host, broch_variable variable,
                       broch_variable_info* info /* in: struct_size, out */);

  /* Outside tower functions: the current value. A borrowed alias of the memory, not a copy.
   * [main] */
  broch_status (*value)(const broch_host* host, broch_variable variable,
                        broch_tensor* value /* out */);

  /* Copies data into the variable; shape and dtype must be the same. [main], not inside a run */
  broch_status (*assign)(const broch_host* host, broch_variable variable,
                         const broch_dl_tensor* data);
} broch_host_variables;

BROCH_C_END

#endif
