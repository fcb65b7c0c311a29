/* role/inferencer.h: turns the outputs of an inference pass into numbers. tensorpack: `Inferencer`.
 *
 * One round: before_inference, on_fetches once per data point, after_inference. Source: tensorpack
 * callbacks/inference.py. */
#ifndef BROCH_ROLE_INFERENCER_H
#define BROCH_ROLE_INFERENCER_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_INFERENCER "broch.inferencer/1"

typedef struct broch_names {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  broch_status (*add)(void* context, const char* name); /* copied */
} broch_names;

typedef struct broch_scalars {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  broch_status (*add)(void* context, const char* name, double value);
} broch_scalars;

typedef struct broch_inferencer {
  uint32_t struct_size;
  uint32_t reserved;

  /* Lists the outputs of the inference tower that it needs, in order. Called once. [main] */
  broch_status (*fetches)(void* self, const broch_names* names);

  /* (optional) Called before each round. [main] */
  broch_status (*before_inference)(void* self);

  /* values[0..n) are in the order of fetches, borrowed for the call. [main] */
  broch_status (*on_fetches)(void* self, const broch_tensor* values, uint32_t n);

  /* Adds the numbers for the monitors, each under its full name. [main] */
  broch_status (*after_inference)(void* self, const broch_scalars* scalars);
} broch_inferencer;

BROCH_C_END

#endif
