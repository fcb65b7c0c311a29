/* role/function.h: computes a number from the progress of the training. tensorpack: a Python
 * function that is given to a callback.
 *
 * An option marked "x-broch-function" is either an expression, which the host evaluates, or a
 * component of this role; the component that uses it cannot tell which. Expressions know epoch_num,
 * local_step, global_step, value, pi, stat("name"), stop(), arithmetic, comparisons, && || !, ?:
 * and functions such as min and sqrt; `broch help expressions` lists them all. */
#ifndef BROCH_ROLE_FUNCTION_H
#define BROCH_ROLE_FUNCTION_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_FUNCTION "broch.function/1"

typedef struct broch_function_args {
  uint32_t struct_size; /* set by the caller */
  uint32_t reserved;
  int64_t epoch_num;
  int64_t local_step;
  int64_t global_step;
  double value; /* the value that the caller is about to replace, or NaN */
} broch_function_args;

typedef struct broch_function {
  uint32_t struct_size;
  uint32_t reserved;

  /* BROCH_NONE: no value, change nothing. BROCH_STOP: end training. [main] */
  broch_status (*call)(void* self, const broch_function_args* args, double* result /* out */);
} broch_function;

BROCH_C_END

#endif
