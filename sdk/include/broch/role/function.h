/* role/function.h: progress in, number out; where upstream took a Python function.
 *
 * An option marked "x-broch-function" is either an expression, evaluated by the host, or a
 * component of this role; its user cannot tell which. Expressions know epoch_num, local_step,
 * global_step, value, pi, stat("name"), stop(), arithmetic, comparisons, && || !, ?: and functions
 * such as min and sqrt: broch help expressions lists them. */
#ifndef BROCH_ROLE_FUNCTION_H
#define BROCH_ROLE_FUNCTION_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_FUNCTION "broch.function/1"

typedef struct broch_function_args {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t epoch_num;
  int64_t local_step;
  int64_t global_step;
  double value; /* what the caller is about to replace, or NaN */
} broch_function_args;

typedef struct broch_function {
  uint32_t struct_size;
  uint32_t reserved;

  /* BROCH_NONE: no value, change nothing. BROCH_STOP: end training. [main] */
  broch_status (*call)(void* self, const broch_function_args* args, double* result /* out */);
} broch_function;

BROCH_C_END

#endif
